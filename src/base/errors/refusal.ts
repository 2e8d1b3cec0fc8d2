import { HTTPException } from 'hono/http-exception';
import type { Text } from '../text/text.ts';
import { ERROR_STATUS, type ErrorCode } from './error-codes.ts';

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
export class Refusal extends HTTPException {
  override readonly name = 'Refusal';
  readonly code: ErrorCode;
  readonly options: RefusalOptions;

  constructor(code: ErrorCode, options: RefusalOptions = {}) {
    super(ERROR_STATUS[code], { message: code });
    this.code = code;
    this.options = options;
  }
}

/**
 * Ends the call with a refusal. Pure rules never throw one: they return `{ refused }`.
 *
 * @throws Refusal
 */
export function refuse(refused: Refusal | ErrorCode, options?: RefusalOptions): never {
  throw refused instanceof Refusal ? refused : new Refusal(refused, options);
}

/** More issues of one request are not listed. */
const MAX_ISSUES = 1_000;

/** {@link refuse} with `INVALID_REQUEST`, and what is wrong with the fields. */
export function refuseFields(issues: readonly Issue[]): never {
  return refuse('INVALID_REQUEST', { issues: issues.slice(0, MAX_ISSUES) });
}
