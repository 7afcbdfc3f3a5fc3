// A sabotage: one text of one file of the program, and what stands there instead.

export interface Sabotage {
  readonly name: string;
  /** Below src/, or the store in memory of stories with several workers, as seen from there. */
  readonly file: string;
  readonly text: string;
  readonly instead: string;
}
