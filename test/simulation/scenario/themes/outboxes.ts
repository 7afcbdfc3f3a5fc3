// Themes about the outbox: messages that people write, edit and take back while they are sent.
import type { Setting } from '../../world/setting.ts';
import {
  type Chaos,
  type Fault,
  type OutboxAct,
  outboxActs,
  type OutboxHandsAct,
  outboxHandsActs,
  type Step,
} from '../scenario.ts';
import { type Draw, plainly, type Themed } from './draw.ts';

/** People write and edit most of the time. */
const usualOutboxActs: readonly OutboxAct[] = [
  'write message',
  'write message',
  'edit message',
  'edit message',
  'say send',
  'unsay send',
  ...outboxActs,
];

/** What an outbox asks of the service. */
const operations = [
  'network-messages.send',
  'network-messages.send',
  'network-messages.send',
  'network-messages.list',
  'sender-profiles.list',
  'contacts.search',
] as const;

/** The same of an outbox of e-mails. */
const ofEmails: Readonly<Partial<Record<(typeof operations)[number], string>>> = {
  'network-messages.send': 'emails.send',
  'network-messages.list': 'emails.list',
};

function messageFault({ random }: Pick<Draw, 'random'>, isOfEmails: boolean): Fault {
  const kind = random.pick(['lost', 'lost', 'blank', 'hang', 'status', 'rate_limited', 'html'] as const);
  const when = random.pick(['before', 'after', 'after'] as const);
  const status = random.pick([502, 422, 401]);
  const drawn = random.pick(operations);
  return {
    on: 'crm',
    operation: isOfEmails ? (ofEmails[drawn] ?? drawn) : drawn,
    kind,
    // A refusal means that nothing was done.
    when: kind === 'rate_limited' || (kind === 'status' && status < 500) ? 'before' : when,
    ...(kind === 'status' && { status }),
    ...(kind === 'html' && { status: 502 }),
    ...(kind === 'rate_limited' && { isTimed: random.integer(0, 1) === 0 }),
    times: random.pick([1, 1, 2, 3]),
    skip: random.pick([0, 0, 1]),
  };
}

/** P1 to P7: rows are written, edited and taken back between the steps of a run, and between runs that are cut short. */
export function outboxes(draw: Draw, setting: Setting): Themed {
  return messagesWith(draw, setting, { usual: usualOutboxActs, writtenMax: 3 });
}

/** P2, V3, W5: the same, while people sort, cut, copy, empty and type over rows, or merge cells of them. */
export function outboxHands(draw: Draw, setting: Setting): Themed {
  const ofKind = draw.random.pick([
    ['sort all messages', 'sort message cells', 'cut message', 'copy message over', 'copy cells over'],
    [
      'empty message',
      'clear message row',
      'refill message',
      'refill message',
      'paste message state',
      'type message state',
    ],
    ['restore version', 'restore version', 'edit message', 'unsay send'],
    ['merge messages', 'merge messages', 'merge messages', 'unmerge messages', 'unmerge messages', 'refill message'],
    outboxHandsActs,
  ] as const satisfies readonly (readonly Writing['usual'][number][])[]);
  return messagesWith(draw, setting, {
    usual: [...usualOutboxActs, ...ofKind, ...ofKind],
    writtenMax: 6,
    hasSubject: draw.chance(70),
  });
}

interface Writing {
  readonly usual: readonly (OutboxAct | OutboxHandsAct | 'restore version')[];
  /** Before the first round. */
  readonly writtenMax: number;
  /** Where the outbox is of e-mails. */
  readonly hasSubject?: boolean;
}

function messagesWith(draw: Draw, setting: Setting, { usual, writtenMax, hasSubject = false }: Writing): Themed {
  const { crm, sheet, pass, run, repeat, part, random, chance } = draw;
  const isOfEmails = chance(35);
  const acts = () => sheet(random.pick(usual));
  const say = (): Step => ({
    do: 'message',
    what: random.pick(['retry', 'retry', 'cancel', 'cancel', 'approve'] as const),
    a: part(),
  });
  // A run of the outbox alone has fifteen instants for nothing, and about seventy for three messages.
  const chaos = (): Partial<Chaos> => ({
    acts: chance(50)
      ? repeat(1, 3, () => ({
          at: random.integer(2, 60),
          act: (acts() as Extract<Step, { do: 'act' }>).act,
        })).toSorted((a, b) => a.at - b.at)
      : [],
    faults: chance(50) ? [messageFault(draw, isOfEmails)] : [],
    ...(chance(45) && { end: chance(40) ? { at: random.integer(1, 4), how: 'kill', of: 'send' } : anywhere() }),
    ...(chance(4) && { diskFullAt: random.integer(2, 30) }),
  });
  const anywhere = () => ({
    at: random.integer(6, 75),
    how: random.pick(['kill', 'kill', 'power', 'stop'] as const),
  });
  const rounds = repeat(2, 5, () => [
    ...repeat(1, 4, acts),
    ...(chance(20) ? [crm(random.pick(['edit key', 'swap keys', 'swap keys', 'delete', 'enter'] as const))] : []),
    chance(12)
      ? ({ do: 'daemon', ms: 130_000, both: chance(40), chaos: { acts: [], faults: [], ...chaos() } } as const)
      : run(
          { ...(chance(80) && { of: 'outbox' as const }), isFull: false, both: chance(15), restart: chance(10) },
          chaos(),
        ),
    ...(chance(45)
      ? [
          say(),
          ...repeat(0, 2, () => (chance(60) ? sheet('edit message') : acts())),
          run({ of: 'outbox', isFull: false }, chance(30) ? chaos() : {}),
        ]
      : []),
    ...(chance(6) ? [{ do: 'lose state' } as const] : []),
    pass(1_000, 30_000, 600_000, 3_600_000),
  ]);
  return {
    setting: plainly(setting, {
      outbox: {
        cap: random.pick([2, 3, 100]),
        settleSecs: chance(80) ? 0 : 10,
        ...(isOfEmails && { resource: 'emails' as const, ...(hasSubject && { hasSubject: true as const }) }),
      },
      settleSecs: 0,
      limits: 'wide',
      switches: {
        messageDelayMs: random.pick([0, 5_000, 3_600_000]),
        ...(chance(25) && { messageOutcome: 'failed' as const }),
        ...(isOfEmails && {
          emailDelayMs: random.pick([0, 5_000, 3_600_000]),
          ...(chance(50) && { emailOutcome: random.pick(['error', 'bounced'] as const) }),
          ...(chance(50) && { emailPaging: 'nested' as const }),
          ...(chance(30) && { emailPageRowsMax: 2 }),
        }),
        ...(chance(20) && { searchLagMs: 2_000 }),
      },
    }),
    steps: [
      ...repeat(2, 3, () => crm('enter')),
      // What is said from then on is new, so that there is nothing to approve.
      run({ isFull: true }),
      pass(60_000),
      ...repeat(1, writtenMax, () => sheet('write message')),
      ...rounds.flat(),
    ],
  };
}
