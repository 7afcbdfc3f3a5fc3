// Stories with a theme: few people, one thing to be seen, and little else. What takes three rare things to meet is met by these.
import { lostAppends, lostCreates, unknownUpdates } from './answers.ts';
import { type Theme } from './draw.ts';
import { firstRuns, kills, twoAtOnce } from './ends.ts';
import { lostWishes, wishes } from './enrolments.ts';
import { changesOnly, momentOfWriting, movingRows, pages, unwholePulls } from './moments.ts';
import { copies, deletions, editedCopies, limits, momentOfDeleting, samePersonTwice } from './people.ts';
import { blanks, mapping, newest, oddCells } from './values.ts';

/** In this order, one after the other: each is met by few stories. */
export const themes: readonly Theme[] = [
  newest,
  blanks,
  copies,
  deletions,
  momentOfDeleting,
  limits,
  lostCreates,
  lostAppends,
  samePersonTwice,
  momentOfWriting,
  movingRows,
  oddCells,
  wishes,
  lostWishes,
  kills,
  twoAtOnce,
  changesOnly,
  pages,
  unknownUpdates,
  mapping,
  editedCopies,
  firstRuns,
  unwholePulls,
];
