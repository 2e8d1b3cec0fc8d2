import { styleText } from 'node:util';
import { withSteeringEscaped } from '../../../src/base/text/text.ts';
import { marked, printed } from './door.ts';
import { folded } from './fold.ts';

export type Style = Parameters<typeof styleText>[0];

/** The streams and variables of a process. */
export interface Streams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly environment: NodeJS.ProcessEnv;
}

/** Puts a text into a style. */
export interface Paint {
  (style: Style, text: string): string;
  /** The screen's width. Undefined: there is no screen. */
  readonly columns?: number | undefined;
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
    this.paint = this.#paintFor(stdout);
    this.paintNote = this.#paintFor(stderr);
  }

  /** Data: a line. */
  data(line: string): void {
    this.#print('stdout', line);
  }

  /** Everything else: progress, advice, errors. */
  note(line: string): void {
    this.#print('stderr', line);
  }

  /** A text of our own that has several lines: a help, a script, a document whose values are escaped. */
  lines(stream: 'stdout' | 'stderr', text: string): void {
    for (const line of text.replace(/\n$/, '').split('\n')) this.#print(stream, line);
  }

  /** A sentence for standard error: no word is cut at the edge of the screen. */
  sentence(text: string): void {
    for (const part of folded(text, this.paintNote.columns ?? Number.POSITIVE_INFINITY)) this.note(part);
  }

  json(value: unknown): void {
    this.lines('stdout', withSteeringEscaped(JSON.stringify(value, null, 2)));
  }

  /** One of several values, each a line. */
  jsonLine(value: unknown): void {
    this.data(withSteeringEscaped(JSON.stringify(value)));
  }

  jsonNote(value: unknown): void {
    this.lines('stderr', withSteeringEscaped(JSON.stringify(value, null, 2)));
  }

  /** The only way to the streams, except for live lines and questions. */
  #print(stream: 'stdout' | 'stderr', line: string): void {
    this[stream].write(`${printed(line)}\n`);
  }

  /** A text for standard output in a style, or unchanged without colours. */
  readonly paint: Paint;
  /** The same for standard error. */
  readonly paintNote: Paint;

  #paintFor(stream: NodeJS.WriteStream): Paint {
    const paint = (style: Style, text: string): string =>
      this.isAnimated(stream) ? painted(style, text) : text;
    return Object.defineProperty(paint, 'columns', {
      get: () => (stream.isTTY ? stream.columns || DEFAULT_COLUMNS : undefined),
    });
  }

  /** Whether colours, and lines that change, make sense on a stream. */
  isAnimated(stream: NodeJS.WriteStream): boolean {
    return Boolean(stream.isTTY) && !this.#plain;
  }

  /** Whether a user can be asked: the question goes to standard error. */
  get canAsk(): boolean {
    return Boolean(this.stdin.isTTY) && Boolean(this.stderr.isTTY);
  }

  /** Whether a user sees standard output. */
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

/** In a style that is marked as our own. */
function painted(style: Style, text: string): string {
  const [before = '', behind = ''] = styleText(style, BETWEEN, { validateStream: false }).split(BETWEEN);
  return `${marked(before)}${text}${marked(behind)}`;
}

const BETWEEN = ' ';
