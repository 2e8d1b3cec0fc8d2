/** A line of a file that has something on it. */
export interface NumberedLine {
  /** From 1, blank lines counted. */
  readonly number: number;
  /** Without its line feed; a carriage return before it stays, JSON takes it for blank space. */
  readonly text: string;
}

const SOMETHING = /\S/;

/**
 * The lines of newline-delimited JSON, one at a time: nothing of the file is copied. Blank lines are numbered and
 * passed over, and the last line needs no line feed.
 */
export function* numberedLines(text: string): Generator<NumberedLine> {
  let number = 0;
  for (let from = 0; from < text.length; ) {
    const feed = text.indexOf('\n', from);
    const end = feed === -1 ? text.length : feed;
    const line = text.slice(from, end);
    number += 1;
    if (SOMETHING.test(line)) {
      yield { number, text: line };
    }
    from = end + 1;
  }
}
