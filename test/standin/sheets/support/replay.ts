import { createSheetsStandin, type SheetsStandin } from '../../../../src/standin/sheets/standin.ts';
import { idKeys, type IdPairs, type Interaction, type ReplayedAnswer } from './compare-answers.ts';
import { seededRandom } from './standin.ts';

const account = 'user1@example.invalid';

/** Each recorded test ran several times; a run ends when every spreadsheet it created is deleted again. */
export function splitIntoRuns(interactions: readonly Interaction[]): readonly (readonly Interaction[])[] {
  const runs: Interaction[][] = [];
  const open = new Set<string>();
  for (const interaction of interactions) {
    const { method, path, cassette, responseBody } = interaction;
    const current = runs.at(-1);
    const creates = method === 'POST' && path.startsWith('/drive/v3/files?');
    if (!current || current[0]?.cassette !== cassette || (creates && open.size === 0)) {
      open.clear();
      runs.push([interaction]);
    } else {
      current.push(interaction);
    }
    if (creates) open.add((responseBody as { readonly id: string }).id);
    if (method === 'DELETE') open.delete(/\/files\/([^/?]+)/.exec(path)?.[1] ?? '');
  }
  return runs;
}

/** Replays a run in its order against a fresh stand-in, whose clock shows the recorded times. */
export async function* replayRun(
  run: readonly Interaction[],
  pairs: IdPairs,
): AsyncGenerator<{ readonly interaction: Interaction; readonly answer: ReplayedAnswer }> {
  let now = Date.parse(run[0]?.date ?? '');
  const standin = createSheetsStandin({ now: () => now, random: seededRandom(1), quotas: 'none' });
  const token = standin.tokens.issue(account, [
    'https://www.googleapis.com/auth/spreadsheets',
    'https://www.googleapis.com/auth/drive',
  ]);
  for (const file of filesThatExistedBefore(run)) {
    now = file.createdTime;
    standin.model.create({ id: file.id, title: file.name, ownerEmail: file.ownerEmail });
  }
  for (const interaction of run) {
    now = Date.parse(interaction.date);
    // Tokens last an hour, and a run takes seconds; the clock only jumps between runs.
    const answer = await send(
      standin,
      standin.tokens.verify(token) ? token : standin.tokens.issue(account),
      interaction,
      pairs,
    );
    yield { interaction, answer };
  }
}

async function send(
  standin: SheetsStandin,
  token: string,
  { host, method, path, requestBody }: Interaction,
  pairs: IdPairs,
): Promise<ReplayedAnswer> {
  const isText = typeof requestBody === 'string';
  const hasBody = requestBody !== null;
  const response = await standin.fetch(`https://${host}${withOurIds(path, pairs)}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(hasBody && !isText ? { 'content-type': 'application/json' } : {}),
    },
    ...(hasBody ? { body: isText ? requestBody : JSON.stringify(translate(requestBody, pairs)) } : {}),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : (JSON.parse(text) as unknown) };
}

function withOurIds(path: string, pairs: IdPairs): string {
  return path.replace(/(?<=\/(?:spreadsheets|files)\/)[^/:?]+/, (id) => String(pairs.get(id) ?? id));
}

/** The request with our ids in place of the recorded ones. */
function translate(value: unknown, pairs: IdPairs): unknown {
  if (Array.isArray(value)) return value.map((entry) => translate(entry, pairs));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      idKeys.has(key) ? (pairs.get(inner as string | number) ?? (inner as unknown)) : translate(inner, pairs),
    ]),
  );
}

interface ExistingFile {
  readonly id: string;
  readonly name: string;
  readonly createdTime: number;
  readonly ownerEmail: string;
}

/**
 * The account had other files at the time of the recordings. The lists it answered have their names, ids and ages; a
 * file that was refused with 403 belonged to another account.
 */
function filesThatExistedBefore(run: readonly Interaction[]): readonly ExistingFile[] {
  const fileById = new Map<string, ExistingFile>();
  const created = (run[0]?.responseBody as { readonly id?: string } | null)?.id;
  for (const { status, path, responseBody } of run) {
    const id = /\/spreadsheets\/([^/:?]+)/.exec(path)?.[1];
    if (status === 403 && id !== undefined) {
      fileById.set(id, { id, name: 'private', createdTime: 0, ownerEmail: 'somebody-else@example.invalid' });
    }
    const { files = [] } = (responseBody ?? {}) as {
      readonly files?: readonly { id: string; name: string; createdTime: string }[];
    };
    for (const file of files) {
      if (file.id === created) continue;
      const createdTime = Date.parse(file.createdTime);
      fileById.set(file.id, { id: file.id, name: file.name, createdTime, ownerEmail: account });
    }
  }
  return [...fileById.values()];
}
