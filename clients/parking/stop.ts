import type { Text } from '../../src/base/text/text.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';

/** The details of a stop, for `--json` and for the lines below the message. */
export interface StopDetails {
  /** Such as `TOKEN_EXPIRED`. */
  readonly code?: string;
  /** What to do about it. */
  readonly advice?: Text;
  readonly requestId?: string;
  /** Single faults, one a line, in the user's language. */
  readonly lines?: readonly string[];
}

/** The command ends here, with a message for the person who started it. It is never a verdict about a vehicle. */
export class Stop extends Error {
  readonly exitCode: ExitCode;
  readonly text: Text;
  readonly details: StopDetails;

  constructor(exitCode: ExitCode, text: Text, details: StopDetails = {}) {
    super(text.en);
    this.exitCode = exitCode;
    this.text = text;
    this.details = details;
  }
}

/** The user has to change the command. Nothing was sent. */
export const wrongUsage = (text: Text, details?: StopDetails): Stop => new Stop(EXIT.usage, text, details);

/** Ctrl-C. */
export const interruptedStop = (details?: StopDetails): Stop =>
  new Stop(EXIT.interrupted, { en: 'Stopped.', it: 'Interrotto.' }, details);
