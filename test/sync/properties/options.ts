// What happens in one run besides what people do before it: faults, reads that are not whole, edits meanwhile. Decided
// beforehand, so that a trial replays exactly.
import { type Arbitrary, array, boolean, constant, constantFrom, nat, oneof, option, record } from 'fast-check';
import { type Act, anyAct } from './people.ts';
import { fieldNames } from './setting.ts';

/** The outcome of a change, by its number in the run. Beyond the list every change succeeds. */
export type Fault =
  | 'fine'
  | 'refused'
  | 'failed'
  | 'unknown, done'
  | 'unknown, not done'
  | 'not begun'
  | 'crash before'
  | 'crash after';

export interface RunOptions {
  readonly coverage: 'whole' | 'changes' | 'partial';
  readonly isDrifted: boolean;
  /** Bit mask over contacts: not read (partial), or missed (drifted). */
  readonly unread: number;
  readonly unreadable: { readonly row: number; readonly field: number } | null;
  /** The service answers no questions. */
  readonly isSilent: boolean;
  readonly waitsToSettle: boolean;
  readonly faults: readonly Fault[];
  /** Before the change of that number is carried out. */
  readonly meanwhile: readonly { readonly at: number; readonly act: Act }[];
  /** Of the update of that number: another person writes another value into a sent field before it is answered. */
  readonly edits?: readonly { readonly at: number; readonly value: number }[];
  /** Of a crash: the links whose number has this bit were committed. */
  readonly committed: number;
  readonly pauseSecs: number;
}

export const healthy: RunOptions = {
  coverage: 'whole',
  isDrifted: false,
  unread: 0,
  unreadable: null,
  isSilent: false,
  waitsToSettle: false,
  faults: [],
  meanwhile: [],
  committed: 0,
  // Longer than any pause after a refusal (W5).
  pauseSecs: 3 * 3600,
};

const anyFault = oneof(
  { weight: 6, arbitrary: constant<Fault>('fine') },
  {
    weight: 6,
    arbitrary: constantFrom<Fault>('refused', 'failed', 'unknown, done', 'unknown, not done', 'not begun'),
  },
  { weight: 1, arbitrary: constantFrom<Fault>('crash before', 'crash after') },
);

const mask = nat({ max: 63 });

export const anyRun: Arbitrary<RunOptions> = record({
  coverage: oneof(
    { weight: 4, arbitrary: constant('whole' as const) },
    { weight: 3, arbitrary: constant('changes' as const) },
    { weight: 1, arbitrary: constant('partial' as const) },
  ),
  isDrifted: oneof({ weight: 4, arbitrary: constant(false) }, { weight: 1, arbitrary: constant(true) }),
  unread: mask,
  unreadable: option(record({ row: nat({ max: 5 }), field: nat({ max: fieldNames.length - 1 }) }), { freq: 6 }),
  isSilent: oneof({ weight: 8, arbitrary: constant(false) }, { weight: 1, arbitrary: constant(true) }),
  waitsToSettle: boolean(),
  faults: oneof(
    { weight: 2, arbitrary: constant<readonly Fault[]>([]) },
    { weight: 2, arbitrary: array(anyFault, { maxLength: 6 }) },
  ),
  meanwhile: oneof(
    { weight: 2, arbitrary: constant([]) },
    { weight: 1, arbitrary: array(record({ at: nat({ max: 5 }), act: anyAct }), { minLength: 1, maxLength: 2 }) },
  ),
  edits: oneof(
    { weight: 2, arbitrary: constant([]) },
    {
      weight: 1,
      arbitrary: array(record({ at: nat({ max: 3 }), value: nat({ max: 4 }) }), { minLength: 1, maxLength: 2 }),
    },
  ),
  committed: mask,
  pauseSecs: constantFrom(5, 30, 120, 7200),
});

/** A process that dies between any two writes, or while it saves (L10). */
export const anyCrash: Arbitrary<RunOptions> = record({
  at: nat({ max: 6 }),
  fault: constantFrom<Fault>('crash before', 'crash after'),
  committed: mask,
}).map(({ at, fault, committed }) => ({
  ...healthy,
  faults: [...Array.from({ length: at }, (): Fault => 'fine'), fault],
  committed,
}));
