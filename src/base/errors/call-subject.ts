import type { Plate } from '../../domain/plate.ts';

/** The subject of a call, for the call log only. */
export interface CallSubject {
  /** The code of the municipality that was chosen for the call. */
  readonly municipality?: string;
  /** The code of the tenant that an administrator's call is about. */
  readonly tenant?: string;
  /** What an administrator's call is about: a credential's id, or codes of municipalities. */
  readonly target?: string;
  /** The plate that it asked about, in the municipality that was chosen: only a digest of it is kept. */
  readonly plate?: Plate;
  /** Likewise those of a call that asks about many, each with its outcome. */
  readonly plates?: readonly { readonly plate: Plate; readonly outcome: string }[];
}

/** A refusal or a failure after the call's subject was known. */
export class FailureWithSubject extends Error {
  override readonly name = 'FailureWithSubject';
  readonly subject: CallSubject;
  override readonly cause: unknown;

  constructor(subject: CallSubject, cause: unknown) {
    super('failed once the subject of the call was known');
    this.subject = subject;
    this.cause = cause;
  }
}

/** Runs the rest of a call once its subject is known: an error is rethrown together with the subject. */
export async function withSubject<T>(subject: CallSubject, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FailureWithSubject) {
      throw new FailureWithSubject({ ...subject, ...error.subject }, error.cause);
    }
    throw new FailureWithSubject(subject, error);
  }
}

/** The error itself, without the subject. */
export const causeOf = (error: unknown): unknown =>
  error instanceof FailureWithSubject ? error.cause : error;
