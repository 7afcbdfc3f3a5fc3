// Hints for Google Sheets: the version of a file, or the list of changes of the account.
import { createChangeLog } from './change-log.ts';
import { createDriveClient, type DriveClient, type DriveClientDep, DriveError } from './drive-client.ts';
import { textToSpreadsheetId } from './address.ts';
import type { Hint, Hints } from '../port.ts';

/** `version`: a call for each spreadsheet. `changes`: one call for all of the account. */
export type HintsMode = 'version' | 'changes';

/** After a refusal nobody asks for so long: it ends when a person changes something. */
const refusedMs = 15 * 60_000;

export function createHints(mode: HintsMode, dep: DriveClientDep): Hints {
  const drive = createDriveClient(dep);
  const ask = mode === 'version' ? askVersions(drive) : askChanges(drive, dep.elapsed);
  let refusedUntil = -Infinity;

  return {
    async ask(spreadsheet, since, { signal } = {}) {
      if (signal?.aborted || dep.elapsed() < refusedUntil) return unknown;
      const answer = ask(textToSpreadsheetId(spreadsheet), since).catch((error: unknown): Hint => {
        if (!(error instanceof DriveError)) throw error;
        if (error.kind === 'refused') refusedUntil = dep.elapsed() + refusedMs;
        return unknown;
      });
      return signal ? untilAborted(answer, signal) : answer;
    },
    async whyNot(spreadsheet) {
      try {
        // Both: the list of changes shows a file only if the account may see its version.
        await drive.version(textToSpreadsheetId(spreadsheet));
        if (mode === 'changes') await drive.startPageToken();
        return undefined;
      } catch (error) {
        if (!(error instanceof DriveError)) throw error;
        return error.kind === 'token'
          ? `Drive does not show this spreadsheet to the account (${error.message})`
          : error.message;
      }
    },
    usage: () => drive.usage(),
  };
}

const unknown: Hint = { kind: 'unknown' };

type Ask = (fileId: string, since: string | undefined) => Promise<Hint>;

/** Jobs on tabs of one spreadsheet that ask at once share the call. */
function askVersions(drive: Pick<DriveClient, 'version'>): Ask {
  const asking = new Map<string, Promise<string>>();
  return async (fileId, since) => {
    const version = asking.get(fileId) ?? drive.version(fileId).finally(() => asking.delete(fileId));
    asking.set(fileId, version);
    const mark = `version ${await version}`;
    if (since === undefined || !since.startsWith('version ')) return { kind: 'unknown', mark };
    return { kind: since === mark ? 'unmoved' : 'moved', mark };
  };
}

function askChanges(drive: DriveClient, elapsed: () => number): Ask {
  const log = createChangeLog(drive, elapsed);
  return async (fileId, since) => {
    const token = since?.startsWith('changes ') ? since.slice('changes '.length) : undefined;
    const answer = await log.ask(fileId, token);
    const mark = `changes ${answer.token}`;
    if (answer.isChanged === undefined) return { kind: 'unknown', mark };
    return { kind: answer.isChanged ? 'moved' : 'unmoved', mark };
  };
}

/** The call goes on: others may wait for it. */
function untilAborted(answer: Promise<Hint>, signal: AbortSignal): Promise<Hint> {
  const { promise, resolve, reject } = Promise.withResolvers<Hint>();
  const leave = () => resolve(unknown);
  signal.addEventListener('abort', leave, { once: true });
  void answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  return promise;
}
