// Records every answer that each process got.
import type { Side } from './evidence.ts';
import type { Setting } from '../world/setting.ts';
import type { Log } from '../people/log.ts';
import { readToken, tokensIn } from '../people/token.ts';

/** What one process was shown, and when it last read a record by itself. */
interface Knowledge {
  readonly tokens: Set<string>;
  /** What each side answered, with the instants and the run: the instant at which it began. */
  readonly answers: { readonly seq: number; readonly run: number; readonly side: Side; readonly text: string }[];
  runBeganAt: number;
  /** The same, in epoch milliseconds. */
  runBeganTime: number;
  /** Contacts that an answer of the service showed since the run began. */
  readonly shownInRun: Set<string>;
  /** Contacts that have been in the list since the run began, and that its search had shown for long. */
  readonly expected: Set<string>;
  /** By uuid: one of the rows with this ID equalled the contact when the run began, and all of them have it still. */
  readonly copied: Set<string>;
  /** The configurations by which the run may go. */
  readonly inForce: Set<Setting>;
  /** The people on each side when the run began: `side person`. */
  readonly present: Set<string>;
  /** By `side uuid`, and `sheet ` for rows without an ID: when the process read it again, right before a write. */
  readonly lookedAt: Map<string, number>;
  /** When the process read the tab since the run began. */
  readonly tabReadAt: number[];
}

export interface Answer {
  readonly what: string;
  /** Of the request. */
  readonly body: string;
  readonly text: string;
  readonly askedAt: number;
}

/** What an answer shows. */
interface Seen {
  readonly tokens: ReadonlySet<string>;
  readonly uuids: ReadonlySet<string>;
}

/** A value on a side, and the last typed one. */
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

  /** By the text of an answer: many answers of a story are the same. */
  const seenByText = new Map<string, Seen>();

  function seenIn(text: string): Seen {
    const found = seenByText.get(text);
    if (found) return found;
    const seen = { tokens: new Set(tokensIn(text)), uuids: new Set(text.match(uuids)) };
    seenByText.set(text, seen);
    return seen;
  }

  function known(of: number): Knowledge {
    const found = knowledge.get(of);
    if (found) return found;
    const fresh: Knowledge = {
      tokens: new Set(),
      answers: [],
      lookedAt: new Map(),
      runBeganAt: 0,
      tabReadAt: [],
      runBeganTime: 0,
      shownInRun: new Set(),
      expected: new Set(),
      copied: new Set(),
      inForce: new Set(),
      present: new Set(),
    };
    knowledge.set(of, fresh);
    return fresh;
  }

  return {
    of: known,
    /** Of every process. */
    all: () => knowledge.values(),
    /** `place`: `side token`. */
    firstShown: (place: string) => shown.get(place),
    /** The process read the record again in this run, and no answer with `text` had reached it. */
    isUnseen(of: number, place: string, { person, text, typed }: Sight): boolean {
      const { tokens, answers, lookedAt, runBeganAt } = known(of);
      const lookAt = lookedAt.get(place) ?? 0;
      const read = readToken(text);
      // Who types an earlier text in another form leaves its token as it was shown then. The service answers the text itself.
      const isHiddenForm = () => {
        if (!place.startsWith('crm') || typed?.text !== text) return false;
        const uuid = place.slice('crm '.length);
        return !answers.some(
          (answer) => answer.side === 'crm' && answer.seq > typed.seq && showsOf(uuid, text, answer.text),
        );
      };
      // A key that another person had was shown as that person's: that does not show it here.
      const isHidden =
        read === undefined
          ? typed !== undefined && typed.text === text && typed.seq >= lookAt
          : read.person !== person || !tokens.has(read.token) || isHiddenForm();
      return isHidden && lookAt > runBeganAt;
    },
    /** Both sides answered the text in one run. They need not have held it at the same time. */
    wasShownOnBoth(text: string): boolean {
      const asJson = JSON.stringify(text);
      return [...knowledge.values()].some(({ answers }) => {
        const showing = answers.filter((answer) => answer.text.includes(asJson));
        const runs = new Set(showing.flatMap(({ side, run }) => (side === 'crm' ? [run] : [])));
        return showing.some(({ side, run }) => side === 'sheet' && runs.has(run));
      });
    },
    noteAnswer(of: number, { what, body, text, askedAt }: Answer): void {
      log.seq += 1;
      const { tokens, answers, lookedAt, runBeganAt, shownInRun, tabReadAt } = known(of);
      const side = what.startsWith('crm') ? 'crm' : 'sheet';
      answers.push({ seq: log.seq, run: runBeganAt, side, text });
      const seen = seenIn(text);
      for (const token of seen.tokens) {
        tokens.add(token);
        const place = `${side} ${token}`;
        if (!shown.has(place)) shown.set(place, now());
      }
      // A call that makes and enrols a contact answers nothing: the lookup after it shows the contact for the first time (E2), before a
      // placeholder address is set (I8).
      const isLookup = what.endsWith('/leads/lookup-one');
      const found = isLookup ? [...seen.uuids].filter((uuid) => !shownInRun.has(uuid)) : [];
      for (const uuid of found) lookedAt.set(`${side} ${uuid}`, askedAt);
      if (side === 'crm') for (const uuid of seen.uuids) shownInRun.add(uuid);
      if (tabReads.has(what)) tabReadAt.push(log.seq);
      const isLook =
        what.startsWith('crm GET /leads/api/leads/') ||
        // A placeholder address is set right after the create, whose answer shows the contact (I8).
        what.endsWith('/leads/upsert') ||
        (what.endsWith('/leads/search') && body.includes('"uuid"')) ||
        what.startsWith('sheets POST /v4:getByDataFilter');
      if (!isLook) return;
      // What is typed while the answer is on its way is not in it.
      for (const uuid of seen.uuids) lookedAt.set(`${side} ${uuid}`, askedAt);
      if (side === 'sheet') lookedAt.set('sheet ', askedAt);
    },
  };
}

/** Whether an answer of the service shows the text in this contact: keys that changed hands are shown in others too. */
function showsOf(uuid: string, text: string, answer: string): boolean {
  const asJson = JSON.stringify(text);
  if (!answer.includes(asJson)) return false;
  const isIn = (part: unknown): boolean => {
    if (typeof part !== 'object' || part === null) return false;
    return 'uuid' in part && part.uuid === uuid
      ? JSON.stringify(part).includes(asJson)
      : Object.values(part).some((inner) => isIn(inner));
  };
  try {
    return isIn(JSON.parse(answer));
  } catch {
    return answer.includes(uuid);
  }
}

/** The calls in which a run reads its tab. A tab without rows is read with its header alone. */
export const tabReads: ReadonlySet<string> = new Set([
  'sheets POST /v4/values:batchGetByDataFilter',
  'sheets POST /v4:getByDataFilter',
]);

const uuids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
