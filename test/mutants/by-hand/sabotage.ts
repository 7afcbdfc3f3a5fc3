// A fault that a reader of the program thought of: one text of one file, and the tests that notice it.

export interface Sabotage {
  readonly name: string;
  /** Below src. */
  readonly file: string;
  /** Stands in the file once. */
  readonly text: string;
  readonly instead: string;
  /** Below test; patterns of files. */
  readonly tests: readonly string[];
}
