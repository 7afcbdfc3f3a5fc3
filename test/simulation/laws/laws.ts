// The laws of docs/SPEC.md, each in a file: L1 to L13 in order, then rules that follow from no law. L14 is judged where calls fail (healing.ts).
import type { Coverage } from '../coverage.ts';
import type { Evidence, Law, Violation } from '../oracle/evidence.ts';
import { noLostEdit } from './l01-no-lost-edit.ts';
import { nothingInvented } from './l02-nothing-invented.ts';
import { honestBase } from './l03-honest-base.ts';
import { frozenConflicts } from './l04-frozen-conflicts.ts';
import { maximal } from './l05-maximal.ts';
import { converges } from './l06-converges.ts';
import { nobodyVanishes } from './l07-nobody-vanishes.ts';
import { once } from './l08-once.ts';
import { rightRow } from './l09-right-row.ts';
import { killAnywhere } from './l10-kill-anywhere.ts';
import { repeatable } from './l11-repeatable.ts';
import { nothingUntold } from './l12-nothing-untold.ts';
import { handsOff } from './l13-hands-off.ts';
import { copies } from './copies.ts';
import { decisions } from './decisions.ts';
import { guards } from './guards.ts';
import { recovery } from './recovery.ts';
import { blanks } from './blanks.ts';
import { cancels } from './cancels.ts';
import { columns } from './columns.ts';
import { mapping } from './mapping.ts';
import { seen } from './seen.ts';
import { undo } from './undo.ts';
import { wishes } from './wishes.ts';

const laws: Readonly<Record<string, Law>> = {
  L1: noLostEdit,
  L2: nothingInvented,
  L3: honestBase,
  L4: frozenConflicts,
  L5: maximal,
  L6: converges,
  L7: nobodyVanishes,
  L8: once,
  L9: rightRow,
  L10: killAnywhere,
  L11: repeatable,
  L12: nothingUntold,
  L13: handsOff,
  M1: seen,
  M3: blanks,
  M9: mapping,
  I4: copies,
  'G1, G2': guards,
  'G1, E5': columns,
  'G6, G7': decisions,
  G4: recovery,
  E4: wishes,
  E8: cancels,
  'S7, S8': undo,
};

export function judge(evidence: Evidence, coverage: Coverage): readonly Violation[] {
  return Object.entries(laws).flatMap(([name, law]) => {
    coverage.count('law', name);
    return law(evidence);
  });
}
