// Follows the changes of all spreadsheets of an account by one list, for all jobs of the process.
import { type DriveClient, DriveError } from './drive-client.ts';

/** Tokens that jobs may come back with. One that was dropped is listed from anew. */
const tokensMax = 1_000;
/** Pages of one listing: 100,000 changes. More than that is not followed: everything counts as unknown. */
const pagesMax = 100;
/** Files whose changes are kept. Beyond that everything is forgotten, and every job looks once. */
const filesMax = 100_000;
/** A listing serves all who ask so soon after it. Jobs of one schedule begin within some seconds; a hint may be late. */
const freshMs = 5_000;

export interface ChangeLog {
  /**
   * Whether a file changed after that token; undefined: unknown. `token`: the place up to which the answer is true. Throws
   * DriveError.
   */
  ask(fileId: string, since: string | undefined): Promise<{ readonly isChanged?: boolean; readonly token: string }>;
}

/**
 * Each job keeps the token at which it looked, so that it gets each change after it however many others asked meanwhile. Places
 * count the listings: a file that changed in listing 5 changed after every token of a place below 5.
 */
export function createChangeLog(
  drive: Pick<DriveClient, 'startPageToken' | 'changes'>,
  elapsed: () => number,
): ChangeLog {
  let place = 0;
  let head: string | undefined;
  const placeByToken = new Map<string, number>();
  const changedAtByFile = new Map<string, number>();
  /** Tokens that Google refused. */
  const refused = new Set<string>();
  const joining = new Map<string, Promise<void>>();
  let following: Promise<string> | undefined;
  let followedAt = -Infinity;

  function keep(token: string, at: number): void {
    placeByToken.set(token, at);
    if (placeByToken.size > tokensMax) placeByToken.delete(placeByToken.keys().next().value!);
  }

  /** All changes after the token become those of a new place, which is returned with the token after them. */
  async function list(from: string): Promise<{ readonly token: string; readonly place: number | undefined }> {
    const changed: string[] = [];
    let token = from;
    for (let pages = 1; pages <= pagesMax; pages += 1) {
      const { fileIds, nextPageToken, newStartPageToken } = await drive.changes(token);
      changed.push(...fileIds);
      if (newStartPageToken !== undefined) {
        if (changed.length === 0) return { token: newStartPageToken, place: undefined };
        place += 1;
        for (const fileId of changed) changedAtByFile.set(fileId, place);
        return { token: newStartPageToken, place };
      }
      if (nextPageToken === undefined) throw new DriveError('passing', 'a page of changes without a token');
      token = nextPageToken;
    }
    throw new DriveError('token', 'a list of changes without an end');
  }

  /** Goes on from where this process last listened to. */
  async function follow(): Promise<string> {
    const from = head;
    if (from !== undefined) {
      try {
        const before = place;
        const listed = await list(from);
        // Listings of other tokens may repeat older changes under later places: these are not after this token.
        if (listed.place === undefined) keep(listed.token, before);
        else if (listed.token !== from) keep(listed.token, listed.place);
        head = listed.token;
        if (changedAtByFile.size > filesMax) forget();
        return listed.token;
      } catch (error) {
        if (!(error instanceof DriveError && error.kind === 'token')) throw error;
        forget();
        refused.add(from);
      }
    }
    const before = place;
    const token = await drive.startPageToken();
    keep(token, before);
    head = token;
    return token;
  }

  /** What was known may have a gap from now on. */
  function forget(): void {
    head = undefined;
    placeByToken.clear();
    changedAtByFile.clear();
  }

  /** A token of another process, or one that was dropped: the changes after it are listed once. */
  async function join(token: string): Promise<void> {
    const before = place;
    try {
      await list(token);
      keep(token, before);
    } catch (error) {
      if (!(error instanceof DriveError && error.kind === 'token')) throw error;
      if (refused.size > tokensMax) refused.clear();
      refused.add(token);
    }
  }

  function shared(token: string): Promise<void> {
    const known = joining.get(token) ?? join(token).finally(() => joining.delete(token));
    joining.set(token, known);
    return known;
  }

  /** The token of the last listing, if that is fresh; else of a new one, which all who ask meanwhile share. */
  async function followed(): Promise<string> {
    if (head !== undefined && elapsed() - followedAt < freshMs) return head;
    const begunAt = elapsed();
    following ??= follow()
      .then((token) => {
        followedAt = begunAt;
        return token;
      })
      .finally(() => (following = undefined));
    return following;
  }

  return {
    async ask(fileId, since) {
      if (since !== undefined && !placeByToken.has(since) && !refused.has(since)) await shared(since);
      const token = await followed();
      const from = since === undefined ? undefined : placeByToken.get(since);
      if (from === undefined) return { token };
      return { isChanged: (changedAtByFile.get(fileId) ?? -1) > from, token };
    },
  };
}
