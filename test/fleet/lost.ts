// Tells values that are lost from values that a conflict names to a person.
import { conflictsAnswer } from '../../src/operator/answers/conflicts.ts';
import type { Missing } from './sides.ts';

export interface Found {
  /** Values that one side does not hold, and that no conflict names. */
  readonly lost: readonly Missing[];
  readonly inConflict: readonly Missing[];
}

/** `ask`: the answer of a command. Without the list of conflicts each missing value counts as lost. */
export async function findLost(
  missing: readonly Missing[],
  ask: (...command: readonly string[]) => Promise<string>,
  say: (what: string) => void,
): Promise<Found> {
  if (missing.length === 0) return { lost: [], inConflict: [] };
  const answer = await ask('conflicts', '--json');
  if (!answer.startsWith('{')) say(`the conflicts are not known: ${answer}`);
  const conflicts = answer.startsWith('{') ? conflictsAnswer.parse(JSON.parse(answer)).conflicts : [];
  const isNamed = ({ email, typed }: Missing) =>
    conflicts.some(({ person, crm, sheet }) => person?.includes(`<${email}>`) && (crm === typed || sheet === typed));
  const { named = [], lost = [] } = Object.groupBy(missing, (each) => (isNamed(each) ? 'named' : 'lost'));
  return { lost, inConflict: named };
}
