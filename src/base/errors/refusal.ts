import type { Text } from '../text/text.ts';
import type { ErrorCode } from './error-codes.ts';

declare global {
  interface ErrorConstructor {
    /** Specific to V8: how many frames of its stack an error keeps. */
    stackTraceLimit: number;
  }
}

/** One issue of a request: its path (`municipalities.0.name`), and its message. */
export interface Issue {
  readonly path: string;
  readonly message: Text;
}

interface RefusalOptions {
  /** A more specific text than that of the code. */
  readonly message?: Text;
  readonly issues?: readonly Issue[];
  /** The parts of the service that do not work. */
  readonly failing?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * An error that the caller is meant to see: it becomes the error envelope with the status of its code. Anything else
 * becomes `TEMPORARY_ERROR`. A negative result of a verification is a value, never an error.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ErrorCode;
  readonly text: Text | undefined;
  readonly issues: readonly Issue[] | undefined;
  readonly failing: readonly string[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, options: RefusalOptions = {}) {
    // The stack of a refusal is never read, and in a flood each would cost one.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(code);
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.text = options.message;
    this.issues = options.issues;
    this.failing = options.failing;
    this.headers = options.headers ?? {};
  }
}

/** The refusals that say no more than their code. They are thrown again and again: to make one takes microseconds. */
const plain = new Map<ErrorCode, Refusal>();

/**
 * Ends the call with a refusal. No other code throws one: rules and handlers return `{ refused }`.
 *
 * @throws Refusal
 */
export function refuse(refused: Refusal | ErrorCode, options?: RefusalOptions): never {
  throw refused instanceof Refusal ? refused : refusalOf(refused, options);
}

const refusalOf = (code: ErrorCode, options?: RefusalOptions): Refusal =>
  options ? new Refusal(code, options) : plain.getOrInsertComputed(code, () => new Refusal(code));

/** {@link refuse} with `INVALID_REQUEST`, and what is wrong with the fields. */
export function refuseFields(issues: readonly Issue[]): never {
  return refuse('INVALID_REQUEST', { issues });
}
