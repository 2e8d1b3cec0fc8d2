import { styleText } from 'node:util';
import { withSteeringEscaped } from '../../../src/text/steering.ts';

export type Style = Parameters<typeof styleText>[0];

/** The streams and variables of a process. */
export interface Streams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly environment: NodeJS.ProcessEnv;
}

const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;

/**
 * The two ways out: data to standard output, all else to standard error. Colour and animation are for terminals only,
 * and `NO_COLOR` and a dumb terminal have none.
 */
export class Terminal {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly #plain: boolean;

  constructor({ stdin, stdout, stderr, environment }: Streams) {
    this.stdin = stdin;
    this.stdout = stdout;
    this.stderr = stderr;
    this.#plain = Boolean(environment.NO_COLOR) || environment.TERM === 'dumb';
  }

  /** What was asked for. */
  data(text: string): void {
    this.stdout.write(`${text}\n`);
  }

  /** Everything else: progress, advice, errors. */
  note(text: string): void {
    this.stderr.write(`${text}\n`);
  }

  json(value: unknown): void {
    this.data(withSteeringEscaped(JSON.stringify(value, null, 2)));
  }

  /** A text for standard output in a style, or as it is where there is no colour. */
  paint(style: Style, text: string): string {
    return this.isAnimated(this.stdout) ? styleText(style, text, { validateStream: false }) : text;
  }

  /** The same for standard error. */
  paintNote(style: Style, text: string): string {
    return this.isAnimated(this.stderr) ? styleText(style, text, { validateStream: false }) : text;
  }

  /** Whether colours, and lines that change, make sense on a stream. */
  isAnimated(stream: NodeJS.WriteStream): boolean {
    return Boolean(stream.isTTY) && !this.#plain;
  }

  /** Whether somebody is there who can be asked: the question goes to standard error. */
  get canAsk(): boolean {
    return Boolean(this.stdin.isTTY) && Boolean(this.stderr.isTTY);
  }

  /** Whether somebody sees what goes to standard output. */
  get isSeen(): boolean {
    return Boolean(this.stdout.isTTY);
  }

  get columns(): number {
    return this.stdout.columns || DEFAULT_COLUMNS;
  }

  get rows(): number {
    return this.stdout.rows || DEFAULT_ROWS;
  }
}
