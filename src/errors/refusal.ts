import type { Text } from '../text/text.ts';
import type { ErrorCode } from './error-codes.ts';

declare global {
  interface ErrorConstructor {
    /** V8's own: how many frames an error keeps of where it was made. */
    stackTraceLimit: number;
  }
}

/** One thing wrong with what was sent: where (`municipalities.0.name`), and what. */
export interface Issue {
  readonly path: string;
  readonly message: Text;
}

interface RefusalOptions {
  /** Says it more exactly than the code's own text. */
  readonly message?: Text;
  readonly issues?: readonly Issue[];
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * An error that is the caller's to know: becomes the error envelope with the code's status. Everything else that
 * is thrown becomes `TEMPORARY_ERROR`. A negative verification result is never one: it is a value.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ErrorCode;
  readonly text: Text | undefined;
  readonly issues: readonly Issue[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, options: RefusalOptions = {}) {
    // Nobody reads the stack of a refusal, and a flood of them would cost one each.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(code);
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.text = options.message;
    this.issues = options.issues;
    this.headers = options.headers ?? {};
  }
}

/** `INVALID_REQUEST` with the fields that are wrong. */
export function invalidRequest(issues: readonly Issue[]): Refusal {
  return new Refusal('INVALID_REQUEST', { issues });
}
