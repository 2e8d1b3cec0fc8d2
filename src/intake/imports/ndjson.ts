/** A line of a file that is not blank. */
export interface NumberedLine {
  /** From 1, blank lines counted. */
  readonly number: number;
  /** The position of its first byte in the file, for {@link lineAt}. */
  readonly from: number;
  /** Without its line feed. A carriage return before that stays: to JSON it is blank space. */
  readonly text: string;
}

const SOMETHING = /\S/;
const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
// The only byte order mark of a file is skipped below.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Yields the lines of newline-delimited JSON, some at a time, so that other calls can have their turn in between. Numbers
 * blank lines but skips them. The last line needs no line feed.
 *
 * @param file UTF-8, with or without a byte order mark
 * @param turnBytes the most bytes of one turn; a longer line has a turn of its own
 */
export function* turnsOf(file: Uint8Array, turnBytes: number): Generator<readonly NumberedLine[]> {
  let number = 0;
  let from = BYTE_ORDER_MARK.every((byte, index) => file[index] === byte) ? BYTE_ORDER_MARK.length : 0;
  while (from < file.length) {
    const end = endOfTurn(file, from, turnBytes);
    const lines: NumberedLine[] = [];
    const text = decoder.decode(file.subarray(from, end));
    for (let start = 0; start < text.length; ) {
      const feed = text.indexOf('\n', start);
      const line = text.slice(start, feed === -1 ? text.length : feed);
      number += 1;
      if (SOMETHING.test(line)) {
        lines.push({ number, from, text: line });
      }
      start += line.length + 1;
      from = endOfLine(file, from) + 1;
    }
    yield lines;
  }
}

/** The line that begins at a byte of the file. */
export function lineAt(file: Uint8Array, from: number): string {
  return decoder.decode(file.subarray(from, endOfLine(file, from)));
}

/** The position of the line feed of the line that begins at a byte, or the file's end. */
export function endOfLine(file: Uint8Array, from: number): number {
  const feed = file.indexOf(LINE_FEED, from);
  return feed === -1 ? file.length : feed;
}

/** After the last line feed that the turn reaches. */
function endOfTurn(file: Uint8Array, from: number, turnBytes: number): number {
  if (from + turnBytes >= file.length) {
    return file.length;
  }
  const feed = file.lastIndexOf(LINE_FEED, from + turnBytes - 1);
  return (feed >= from ? feed : endOfLine(file, from)) + 1;
}
