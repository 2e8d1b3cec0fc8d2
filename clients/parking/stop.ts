/** What the exit code means to a script: see docs/parking-command.md. */
export const EXIT = {
  /** Done. A plate without any entitlement is an answer, too. */
  done: 0,
  /** Refused: the same again will be refused again. Or the result could not be written after something was sent. */
  refused: 1,
  /** Wrong usage: an argument, a file that cannot be read, a missing profile. Nothing was sent. */
  usage: 2,
  /** The service cannot be reached, has failed, or the budget is spent: worth another try. */
  unavailable: 3,
  /** Ctrl-C, as in a shell: 128 plus the number of the signal. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The details of a stop, for `--json` and for the lines below the message. */
interface StopDetails {
  /** Such as `TOKEN_EXPIRED`. */
  readonly code?: string;
  /** What to do about it. */
  readonly advice?: string;
  readonly requestId?: string;
  /** Single faults, one a line. */
  readonly lines?: readonly string[];
}

/** The command ends here, with a message for the person who started it. It is never a verdict about a vehicle. */
export class Stop extends Error {
  readonly exitCode: ExitCode;
  readonly details: StopDetails;

  constructor(exitCode: ExitCode, message: string, details: StopDetails = {}) {
    super(message);
    this.exitCode = exitCode;
    this.details = details;
  }
}

/** The user has to change the command. Nothing was sent. */
export const wrongUsage = (message: string, advice?: string): Stop =>
  new Stop(EXIT.usage, message, advice === undefined ? {} : { advice });

/** Ctrl-C. */
export const interruptedStop = (): Stop => new Stop(EXIT.interrupted, 'Stopped.');
