import { clearLine, cursorTo } from 'node:readline';
import { withSteeringEscaped, withSteeringShown } from '../../src/base/text/text.ts';
import { recordLines, tableLines } from './print.ts';

/** The streams and variables of a process. */
export interface Streams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * The two ways out: data to standard output, all else to standard error. No text from elsewhere steers the terminal:
 * control characters are shown as their numbers.
 */
export class Terminal {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;

  constructor({ stdin, stdout, stderr }: Streams) {
    this.stdin = stdin;
    this.stdout = stdout;
    this.stderr = stderr;
  }

  /** Data: a line. */
  data(line: string): void {
    this.stdout.write(`${withSteeringShown(line)}\n`);
  }

  /** Everything else: advice, errors. */
  note(line: string): void {
    this.stderr.write(`${withSteeringShown(line)}\n`);
  }

  /** A text of our own with several lines: a help, or a document whose values are escaped. */
  text(text: string, stream: 'stdout' | 'stderr' = 'stdout'): void {
    for (const line of text.trimEnd().split('\n')) this[stream].write(`${withSteeringShown(line)}\n`);
  }

  json(value: unknown, stream: 'stdout' | 'stderr' = 'stdout'): void {
    this[stream].write(`${withSteeringEscaped(JSON.stringify(value, null, 2))}\n`);
  }

  /** One of several values, each a line. */
  jsonLine(value: unknown): void {
    this.stdout.write(`${withSteeringEscaped(JSON.stringify(value))}\n`);
  }

  record(record: object, stream: 'stdout' | 'stderr' = 'stdout'): void {
    for (const line of recordLines(record, this.#columnsOf(stream))) this[stream].write(`${line}\n`);
  }

  table(rows: readonly object[], columns?: readonly string[], stream: 'stdout' | 'stderr' = 'stdout'): void {
    for (const line of tableLines(rows, this.#columnsOf(stream), columns)) this[stream].write(`${line}\n`);
  }

  /** A line that changes in place; nothing where standard error is no terminal. Null removes it. */
  progress(line: string | null): void {
    if (!this.stderr.isTTY) return;
    cursorTo(this.stderr, 0);
    clearLine(this.stderr, 0);
    if (line !== null) this.stderr.write(withSteeringShown(line).slice(0, this.#columnsOf('stderr') - 1));
  }

  /** Empties the screen, for a table that is drawn again. */
  clear(): void {
    this.stdout.write('\x1b[H\x1b[J');
  }

  /** Whether a user can be asked: the question goes to standard error. */
  get canAsk(): boolean {
    return Boolean(this.stdin.isTTY) && Boolean(this.stderr.isTTY);
  }

  /** Whether a user sees standard output. */
  get isSeen(): boolean {
    return Boolean(this.stdout.isTTY);
  }

  #columnsOf(stream: 'stdout' | 'stderr'): number {
    const { isTTY, columns } = this[stream];
    return isTTY ? columns || 80 : Number.POSITIVE_INFINITY;
  }
}
