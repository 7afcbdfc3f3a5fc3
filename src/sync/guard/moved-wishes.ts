// Whether wishes stand in other rows than before (G1, E1): the column of automations was sorted alone, or cells of it were deleted or
// inserted. The contacts of these rows would be put into automations that others were meant for, and nothing takes a message back.
import { firstFew } from '../change.ts';
import type { PlanInput } from '../input.ts';
import { readLedgerKey, type WishInRow } from '../record/ledger.ts';
import { movedColumnText, takenFrom } from './moved-column.ts';
import { suspectWish, type Suspects, type Suspicion } from '../record/suspects.ts';

export interface AppearedWish extends WishInRow {
  /** Its row had named it some time ago, so that nobody is put into the automation (E1). */
  readonly isAgain: boolean;
}

/** What became of the cells of wishes since a run last read them. */
export interface WishTraffic {
  /** Wishes that their row names, and did not. */
  readonly appeared: readonly AppearedWish[];
  /** Those that their row no longer names. */
  readonly left: readonly WishInRow[];
}

/** Who takes one person out of an automation and puts another one into it moves no cells, nor who does so with four. */
export const movedWishesMin = 5;
/** Others may be wished for, or taken out of their cells, in the same run. */
export const movedShareMin = 0.8;

/**
 * New wishes that stand there while about as many of the same automations left their cells, and those that an earlier run held for that;
 * empty: they are few, or most of either have nothing to do with the others.
 */
export function findMovedWishes({ appeared, left }: WishTraffic, suspects?: Suspects): readonly WishInRow[] {
  const moved = new Set(takenFrom(appeared, countBy(left), automationOf));
  const areMost = moved.size >= Math.max(appeared.length, left.length) * movedShareMin;
  const areMany = moved.size >= movedWishesMin && areMost;
  return appeared.filter(
    (wish) => !wish.isAgain && ((areMany && moved.has(wish)) || suspects?.has(suspectWish(wish.key))),
  );
}

/** What is wrong; undefined: nothing, or a person let it through. */
export function whyWishesMoved(
  { requests: { approved, begun } }: Pick<PlanInput, 'requests'>,
  moved: readonly WishInRow[],
): Suspicion | undefined {
  const isApproved = begun
    ? moved.every((wish) => begun.has(movedWishKey(wish)))
    : moved.length <= (approved?.enrolments ?? 0);
  if (isApproved) return undefined;
  const rows = firstFew(moved.map(({ row }) => row).toSorted((a, b) => a - b));
  return {
    reason: movedColumnText('the column of automations', rows),
    suspects: new Map(moved.map(({ key }) => [suspectWish(key), null])),
  };
}

/** The wish among what a run was let through to do, which an approval that it did not finish is still for. */
export function movedWishKey({ key }: WishInRow): string {
  return `wish ${key}`;
}

function automationOf({ key }: WishInRow): string {
  return readLedgerKey(key).automation;
}

function countBy(wishes: readonly WishInRow[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const wish of wishes) counts.set(automationOf(wish), (counts.get(automationOf(wish)) ?? 0) + 1);
  return counts;
}
