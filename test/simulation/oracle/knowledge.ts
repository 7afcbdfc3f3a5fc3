// What each process has been shown: every answer that reached it.
import type { Log } from '../people/log.ts';
import { readToken, tokensIn } from '../people/token.ts';

/** What one process has been shown, and when it last looked at a record on its own. */
interface Knowledge {
  readonly tokens: Set<string>;
  runBeganAt: number;
  /** The same, in epoch milliseconds. */
  runBeganTime: number;
  /** Contacts that an answer of the service showed since the run began. */
  readonly shownInRun: Set<string>;
  /** Contacts that were in the list when the run began, and that its search had shown for long. */
  readonly expected: Set<string>;
  /** By uuid: one of the rows that had this ID when the run began said what the contact said. */
  readonly copied: Set<string>;
  /** Who was on which side when the run began: `side person`. */
  readonly present: Set<string>;
  /** By `side uuid`, and `sheet ` for rows without an ID: when it looked again, right before a write. */
  readonly lookedAt: Map<string, number>;
}

/** What stands somewhere, and what was last typed there. */
interface Sight {
  readonly person: string | undefined;
  readonly text: string;
  readonly typed: Log['typed'][number] | undefined;
}

/** `now`: epoch milliseconds, true time. */
export function createKnowledge({ log, now }: { readonly log: Log; readonly now: () => number }) {
  const knowledge = new Map<number, Knowledge>();
  /** `side token`: when an answer first showed it. */
  const shown = new Map<string, number>();

  function known(of: number): Knowledge {
    const found = knowledge.get(of);
    if (found) return found;
    const fresh: Knowledge = {
      tokens: new Set(),
      lookedAt: new Map(),
      runBeganAt: 0,
      runBeganTime: 0,
      shownInRun: new Set(),
      expected: new Set(),
      copied: new Set(),
      present: new Set(),
    };
    knowledge.set(of, fresh);
    return fresh;
  }

  return {
    of: known,
    /** `place`: `side token`. */
    firstShown: (place: string) => shown.get(place),
    /** It was looked at again in this run, and no answer that showed `text` had reached this process. */
    isUnseen(of: number, place: string, { person, text, typed }: Sight): boolean {
      const { tokens, lookedAt, runBeganAt } = known(of);
      const lookAt = lookedAt.get(place) ?? 0;
      const read = readToken(text);
      // Somebody else's key was shown as theirs, which says nothing of whether it was shown here.
      const isHidden =
        read === undefined
          ? typed !== undefined && typed.text === text && typed.seq >= lookAt
          : read.person !== person || !tokens.has(read.token);
      return isHidden && lookAt > runBeganAt;
    },
    noteAnswer(of: number, what: string, body: string, text: string): void {
      log.seq += 1;
      const { tokens, lookedAt } = known(of);
      for (const token of tokensIn(text)) {
        tokens.add(token);
        const place = `${what.startsWith('crm') ? 'crm' : 'sheet'} ${token}`;
        if (!shown.has(place)) shown.set(place, now());
      }
      if (what.startsWith('crm')) for (const uuid of text.match(uuids) ?? []) known(of).shownInRun.add(uuid);
      const isLook =
        what.startsWith('crm GET /leads/api/leads/') ||
        (what.endsWith('/leads/search') && body.includes('"uuid"')) ||
        what.startsWith('sheets POST /v4:getByDataFilter');
      if (!isLook) return;
      const side = what.startsWith('crm') ? 'crm' : 'sheet';
      for (const uuid of text.match(uuids) ?? []) lookedAt.set(`${side} ${uuid}`, log.seq);
      if (side === 'sheet') lookedAt.set('sheet ', log.seq);
    },
  };
}

const uuids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
