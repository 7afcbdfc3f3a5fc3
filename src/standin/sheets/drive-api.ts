// The part of Drive that a client of spreadsheets uses: v3 files create, get, list, copy, delete; changes; v2 upload of a CSV.
import { defaultProperties } from './default-properties.ts';
import { DriveError, driveFileNotFound } from './errors.ts';
import type { JsonObject } from './json.ts';
import type { SheetsModel, SpreadsheetFile } from './model.ts';
import { Sheet, makeRow } from './sheet.ts';
import type { FieldMask } from './field-mask.ts';
import { isJsonObject } from './json.ts';
import { applyEntry, typed } from './value-range.ts';

const spreadsheetMimeType = 'application/vnd.google-apps.spreadsheet';

interface DriveCall {
  readonly model: SheetsModel;
  readonly email: string;
  readonly openToAll: boolean;
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  /** Parsed JSON, or text for an upload. */
  readonly body: unknown;
  /** Undefined: no `fields` parameter, so the answer is the short form. */
  readonly mask: FieldMask | undefined;
}

export interface DriveMethod {
  readonly operation: string;
  readonly httpMethod: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';
  /** The whole path. */
  readonly path: RegExp;
  /** Refused for a token without a scope of Drive. The others are not checked. */
  readonly needsDriveScope?: true;
  /** Undefined: 204 without a body. */
  answer(call: DriveCall): JsonObject | undefined;
}

function openFile(call: DriveCall, to: 'read' | 'write'): SpreadsheetFile {
  const fileId = call.path[0] ?? '';
  const file = call.model.get(fileId);
  const role = file && (call.openToAll ? 'owner' : file.roleOf(call.email));
  // Drive answers a forbidden file like a missing one.
  if (!file || !role) throw driveFileNotFound(fileId);
  if (to === 'write' && role === 'reader') {
    throw new DriveError(
      403,
      'insufficientFilePermissions',
      'The user does not have sufficient permissions for this file.',
    );
  }
  return file;
}

/** What Drive shows of it: an edit may show late, or never. */
function fileToJson({ model: { drive } }: DriveCall, file: SpreadsheetFile): JsonObject {
  return {
    kind: 'drive#file',
    id: file.id,
    name: file.content.title,
    mimeType: spreadsheetMimeType,
    createdTime: new Date(file.createdTime).toISOString(),
    modifiedTime: new Date(drive.changedAt(file.id) ?? file.createdTime).toISOString(),
    version: String(drive.versionOf(file.id)),
    trashed: false,
    owners: [{ kind: 'drive#user', emailAddress: file.ownerEmail }],
    webViewLink: `https://docs.google.com/spreadsheets/d/${file.id}/edit?usp=drivesdk`,
  };
}

function answerFile(call: DriveCall, file: SpreadsheetFile): JsonObject {
  const whole = fileToJson(call, file);
  if (call.mask) return call.mask.pick(whole) as JsonObject;
  const { kind, id, name, mimeType } = whole;
  return { kind, id, name, mimeType };
}

function nameIn(body: unknown, otherwise: string): string {
  return isJsonObject(body) && typeof body['name'] === 'string' ? body['name'] : otherwise;
}

function createFile(call: DriveCall): JsonObject {
  if (isJsonObject(call.body) && call.body['mimeType'] !== spreadsheetMimeType) {
    throw new DriveError(400, 'invalid', 'Only spreadsheets can be created here.');
  }
  return answerFile(call, call.model.create({ title: nameIn(call.body, 'Untitled'), ownerEmail: call.email }));
}

/** Copies values and developer metadata, the ids of the latter included (measured). */
function copyFile(call: DriveCall): JsonObject {
  const source = openFile(call, 'read');
  const content = source.content.clone();
  content.properties = { ...content.properties, title: nameIn(call.body, `Copy of ${source.content.title}`) };
  return answerFile(call, call.model.add(content, call.model.newFileId(), call.email));
}

/** The `q` of a list: `name = '...'` and `mimeType = '...'` joined by `and`, either kind of quotes. */
function parseQuery(q: string): (file: JsonObject) => boolean {
  const terms = [...q.matchAll(/(\w+)\s*(=|contains)\s*(["'])((?:\\.|(?!\3).)*)\3/g)];
  return (file) =>
    terms.every(([, field = '', operator, , raw = '']) => {
      const wanted = raw.replaceAll(/\\(.)/g, '$1');
      const value = file[field];
      const actual = typeof value === 'string' ? value : '';
      return operator === '=' ? actual === wanted : actual.toLowerCase().includes(wanted.toLowerCase());
    });
}

function listFiles(call: DriveCall): JsonObject {
  const matches = parseQuery(call.query.get('q') ?? '');
  const pageSize = Math.min(1000, Math.max(1, Number(call.query.get('pageSize') ?? 100) || 100));
  const start = Number(call.query.get('pageToken') ?? 0) || 0;
  const found = call.model
    .list()
    .filter((file) => call.openToAll || file.roleOf(call.email) !== undefined)
    .map((file) => fileToJson(call, file))
    .filter(matches);
  const page = found.slice(start, start + pageSize);
  const answer: JsonObject = {
    kind: 'drive#fileList',
    ...(start + pageSize < found.length ? { nextPageToken: String(start + pageSize) } : {}),
    incompleteSearch: false,
    files: page,
  };
  if (call.mask) return call.mask.pick(answer) as JsonObject;
  return { ...answer, files: page.map(({ kind, id, name, mimeType }) => ({ kind, id, name, mimeType })) };
}

function deleteFile(call: DriveCall): undefined {
  const file = openFile(call, 'write');
  if (!call.openToAll && file.roleOf(call.email) !== 'owner') {
    throw new DriveError(
      403,
      'insufficientFilePermissions',
      'The user does not have sufficient permissions for this file.',
    );
  }
  call.model.delete(file.id);
}

/** Replaces the content by one tab, named like the file, with the CSV as if typed. */
function uploadCsv(call: DriveCall): JsonObject {
  const file = openFile(call, 'write');
  const rows = parseCsv(typeof call.body === 'string' ? call.body : '');
  file.edit({ email: call.email }, (edit) => {
    const { spreadsheet } = edit;
    const { title } = spreadsheet;
    const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0);
    const sheet = new Sheet(edit.newId(), title, Math.max(1000, rows.length), Math.max(26, width));
    sheet.rows = sheet.rows.map((_, index) =>
      makeRow(
        (rows[index] ?? []).map((text) => applyEntry(undefined, typed(undefined, text, edit.now))),
        undefined,
      ),
    );
    // An import starts from the properties of the importer's account, not of the file (recorded).
    spreadsheet.properties = defaultProperties(title, 'America/Los_Angeles');
    spreadsheet.sheets = [sheet];
    spreadsheet.namedRanges = [];
    spreadsheet.metadataIds = [];
    spreadsheet.metadataById.clear();
    spreadsheet.forgetPlaces();
  });
  return uploadedToJson(call.model.drive.versionOf(file.id), file);
}

/** RFC 4180: commas, quotes doubled inside quotes, any line end. */
function parseCsv(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\r|\n|$)/g)) {
    if (row.length === 0 && (quoted ?? plain) === '' && end === '') break;
    row.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

/** The v2 resource, with other names for most fields. */
function uploadedToJson(version: number, file: SpreadsheetFile): JsonObject {
  const link = `https://www.googleapis.com/drive/v2/files/${file.id}`;
  const docs = 'https://docs.google.com/spreadsheets';
  const user: JsonObject = {
    displayName: file.ownerEmail,
    kind: 'drive#user',
    isAuthenticatedUser: true,
    permissionId: '00000000000000000000',
    emailAddress: file.ownerEmail,
    picture: { url: 'https://example.invalid/picture' },
  };
  const modifiedDate = new Date(file.modifiedTime).toISOString();
  const exportLink = (format: string): string => `${docs}/export?id=${file.id}&exportFormat=${format}`;
  const parentId = 'root';
  return {
    kind: 'drive#file',
    userPermission: {
      id: 'me',
      type: 'user',
      role: 'owner',
      kind: 'drive#permission',
      selfLink: `${link}/permissions/me`,
      etag: `"${version}"`,
      pendingOwner: false,
    },
    selfLink: link,
    ownerNames: [file.ownerEmail],
    lastModifyingUserName: file.ownerEmail,
    editable: true,
    writersCanShare: true,
    mimeType: spreadsheetMimeType,
    exportLinks: {
      'application/x-vnd.oasis.opendocument.spreadsheet': exportLink('ods'),
      'text/tab-separated-values': exportLink('tsv'),
      'application/pdf': exportLink('pdf'),
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': exportLink('xlsx'),
      'text/csv': exportLink('csv'),
      'application/zip': exportLink('zip'),
      'application/vnd.oasis.opendocument.spreadsheet': exportLink('ods'),
    },
    parents: [
      {
        selfLink: `${link}/parents/${parentId}`,
        id: parentId,
        isRoot: true,
        kind: 'drive#parentReference',
        parentLink: `https://www.googleapis.com/drive/v2/files/${parentId}`,
      },
    ],
    thumbnailLink: `https://docs.google.com/feeds/vt?gd=true&id=${file.id}&v=1&sz=s220`,
    appDataContents: false,
    iconLink: `https://drive-thirdparty.googleusercontent.com/16/type/${spreadsheetMimeType}`,
    shared: file.sharedWith.size > 0,
    lastModifyingUser: user,
    owners: [user],
    copyable: true,
    etag: `"${version}"`,
    alternateLink: `${docs}/d/${file.id}/edit?usp=drivesdk`,
    embedLink: `${docs}/d/${file.id}/htmlembed`,
    fileSize: '1024',
    copyRequiresWriterPermission: false,
    spaces: ['drive'],
    id: file.id,
    title: file.content.title,
    labels: { viewed: true, restricted: false, starred: false, hidden: false, trashed: false },
    explicitlyTrashed: false,
    createdDate: new Date(file.createdTime).toISOString(),
    modifiedDate,
    modifiedByMeDate: modifiedDate,
    lastViewedByMeDate: modifiedDate,
    markedViewedByMeDate: '1970-01-01T00:00:00.000Z',
    quotaBytesUsed: '1024',
    version: String(version),
    capabilities: { canEdit: true, canCopy: true },
  };
}

/** Shares the file with one person, as reader or writer. */
function createPermission(call: DriveCall): JsonObject {
  const file = openFile(call, 'write');
  const { role, type, emailAddress } = isJsonObject(call.body) ? call.body : {};
  if (type !== 'user' || (role !== 'reader' && role !== 'writer') || typeof emailAddress !== 'string') {
    throw new DriveError(501, 'notImplemented', 'The stand-in shares with one user, as reader or writer, alone.');
  }
  file.sharedWith.set(emailAddress, role);
  const whole: JsonObject = { kind: 'drive#permission', id: permissionId(emailAddress), type, role };
  return call.mask ? (call.mask.pick({ ...whole, emailAddress }) as JsonObject) : whole;
}

/** Twenty digits, the same for one address each time. */
function permissionId(emailAddress: string): string {
  let hash = 7n;
  for (const byte of Buffer.from(emailAddress)) hash = (hash * 131n + BigInt(byte)) % 10n ** 20n;
  return String(hash).padStart(20, '0');
}

function startPageToken({ model, mask }: DriveCall): JsonObject {
  const whole: JsonObject = { kind: 'drive#startPageToken', startPageToken: model.drive.startToken() };
  return mask ? (mask.pick(whole) as JsonObject) : whole;
}

/** Each file once, by its last change, as far as it shows. A file that the caller may not see is in no list. */
function listChanges(call: DriveCall): JsonObject {
  const { model, query, mask } = call;
  const token = query.get('pageToken');
  const at = { locationType: 'parameter', location: 'pageToken' };
  if (token === null) throw new DriveError(400, 'required', 'Required parameter: pageToken', at);
  const pageSize = Math.min(1000, Math.max(1, Number(query.get('pageSize') ?? 100) || 100));
  const isVisible = (fileId: string) => {
    const file = model.get(fileId);
    return file === undefined || call.openToAll || file.roleOf(call.email) !== undefined;
  };
  const shown = model.drive.changesSince(token, pageSize, isVisible);
  if (!shown) throw new DriveError(400, 'invalid', 'Invalid Value', at);
  const changes = shown.changes.map(({ fileId, at: changedAt }): JsonObject => {
    const file = model.get(fileId);
    const about = { kind: 'drive#change', type: 'file', changeType: 'file', fileId, removed: file === undefined };
    return {
      ...about,
      time: new Date(changedAt).toISOString(),
      ...(file && { file: mask ? fileToJson(call, file) : shortOf(fileToJson(call, file)) }),
    };
  });
  const whole: JsonObject = {
    kind: 'drive#changeList',
    ...(shown.nextToken === undefined
      ? { newStartPageToken: shown.newStartToken }
      : { nextPageToken: shown.nextToken }),
    changes,
  };
  return mask ? (mask.pick(whole) as JsonObject) : whole;
}

function shortOf({ kind, id, name, mimeType }: JsonObject): JsonObject {
  return { kind, id, name, mimeType };
}

/** No account is a commenter. */
function listComments(call: DriveCall): JsonObject {
  openFile(call, 'read');
  const whole: JsonObject = { kind: 'drive#commentList', comments: [] };
  return call.mask ? (call.mask.pick(whole) as JsonObject) : whole;
}

/** Features of Drive that the stand-in lacks: the refusal says so, unlike a path that does not exist. */
function unplayed(operation: string, httpMethod: DriveMethod['httpMethod'], path: RegExp): DriveMethod {
  return {
    operation,
    httpMethod,
    path,
    answer() {
      throw new DriveError(501, 'notImplemented', `The stand-in does not play ${operation}, which Google Drive has.`);
    },
  };
}

export const driveMethods: readonly DriveMethod[] = [
  { operation: 'files.create', httpMethod: 'POST', path: /^\/drive\/v3\/files$/, answer: createFile },
  { operation: 'files.list', httpMethod: 'GET', path: /^\/drive\/v3\/files$/, answer: listFiles },
  {
    operation: 'files.get',
    httpMethod: 'GET',
    path: /^\/drive\/v3\/files\/([^/]+)$/,
    needsDriveScope: true,
    answer: (call) => answerFile(call, openFile(call, 'read')),
  },
  {
    operation: 'changes.getStartPageToken',
    httpMethod: 'GET',
    path: /^\/drive\/v3\/changes\/startPageToken$/,
    needsDriveScope: true,
    answer: startPageToken,
  },
  {
    operation: 'changes.list',
    httpMethod: 'GET',
    path: /^\/drive\/v3\/changes$/,
    needsDriveScope: true,
    answer: listChanges,
  },
  { operation: 'files.copy', httpMethod: 'POST', path: /^\/drive\/v3\/files\/([^/]+)\/copy$/, answer: copyFile },
  { operation: 'files.delete', httpMethod: 'DELETE', path: /^\/drive\/v3\/files\/([^/]+)$/, answer: deleteFile },
  { operation: 'files.upload', httpMethod: 'PUT', path: /^\/upload\/drive\/v2\/files\/([^/]+)$/, answer: uploadCsv },
  {
    operation: 'permissions.create',
    httpMethod: 'POST',
    path: /^\/drive\/v3\/files\/([^/]+)\/permissions$/,
    answer: createPermission,
  },
  {
    operation: 'comments.list',
    httpMethod: 'GET',
    path: /^\/drive\/v3\/files\/([^/]+)\/comments$/,
    answer: listComments,
  },
  unplayed('comments.create', 'POST', /^\/drive\/v3\/files\/([^/]+)\/comments$/),
  unplayed('files.export', 'GET', /^\/drive\/v3\/files\/([^/]+)\/export$/),
  unplayed('files.update', 'PATCH', /^\/drive\/v3\/files\/([^/]+)$/),
  unplayed('permissions.list', 'GET', /^\/drive\/v3\/files\/([^/]+)\/permissions$/),
  unplayed('permissions.delete', 'DELETE', /^\/drive\/v3\/files\/([^/]+)\/permissions\/[^/]+$/),
];
