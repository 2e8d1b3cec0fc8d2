/** A mistake that somebody could make in the code, and that a test has to notice. */
export interface Fault {
  /** What it breaks, in one sentence. */
  readonly breaks: string;
  readonly file: string;
  /** The text to replace, which stands in the file exactly once. */
  readonly find: string;
  readonly replacement: string;
  /** The test files and folders that can notice it. */
  readonly reach: readonly string[];
}
