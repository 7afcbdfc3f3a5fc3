// Finds the comments of a value without content, which whatever takes its place has to take over.
import { isScalar } from 'yaml';

/** Comments beside and below the key of such a value, a line each; null: there are none. */
export function commentsOf(value: unknown): string | null {
  if (!isScalar(value)) return null;
  const all = [value.commentBefore, value.comment].filter((each) => each !== null && each !== undefined);
  return all.length === 0 ? null : all.join('\n');
}
