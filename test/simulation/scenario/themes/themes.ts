// The list of themes. A theme is a story with few people about one thing, for events that random stories seldom have.
import { editedLostCreates, laggingLookups, lostAppends, lostCreates, unknownUpdates } from './answers.ts';
import { changedApprovals, heldPlans, seenConflicts } from './decisions.ts';
import { columns } from './columns.ts';
import { type Theme } from './draw.ts';
import { firstRuns, kills, twoAtOnce } from './ends.ts';
import { feedHands } from './feeds.ts';
import { hands } from './hands.ts';
import { healing } from './healing.ts';
import { hints } from './hints.ts';
import { elsewhere } from './elsewhere.ts';
import { keysPassedOn, mixedUp } from './identity.ts';
import { cancelledWishes, lostWishes, wishes } from './enrolments.ts';
import { changesOnly, momentOfWriting, movingRows, pages, unwholePulls } from './moments.ts';
import { copies, deletions, editedCopies, limits, momentOfDeleting, samePersonTwice } from './people.ts';
import { lyingDisks } from './disks.ts';
import { mirrors } from './mirrors.ts';
import { outboxes, outboxHands } from './outboxes.ts';
import { pauses } from './pauses.ts';
import { twoCalls } from './two-calls.ts';
import { restarts } from './restarts.ts';
import { undos } from './undos.ts';
import { versions } from './versions.ts';
import { workers } from './workers.ts';
import { blanks, mapping, newest, oddCells } from './values.ts';

/** Taken in this order: each theme gets the same share. */
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
  undos,
  heldPlans,
  changedApprovals,
  seenConflicts,
  cancelledWishes,
  workers,
  laggingLookups,
  hints,
  healing,
  restarts,
];

/** Later themes, and those about jobs beside the sync, in stories of their own, so that the others stay as they were when one is added. */
export const themesBeside: readonly Theme[] = [
  outboxes,
  keysPassedOn,
  pauses,
  mixedUp,
  mirrors,
  keysPassedOn,
  lyingDisks,
  mixedUp,
  twoCalls,
  hands,
];

/** The newest, of a smaller share, so that no other story of a theme became another one. */
export const themesApart: readonly Theme[] = [
  outboxHands,
  columns,
  versions,
  feedHands,
  columns,
  elsewhere,
  editedLostCreates,
];
