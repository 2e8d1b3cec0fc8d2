import type { Context, MiddlewareHandler } from 'hono';
import type { Admission } from '../access/admission.ts';
import type { CallDescription } from '../call-log/call-record.ts';
import type { Instant } from '../domain/instant.ts';
import type { Env } from '../env.ts';
import type { Deadline } from './deadline.ts';
import type { Language } from './language.ts';
import type { Transcript } from './transcript.ts';

/** What a request carries on its way through the middleware. */
export interface Variables {
  requestId: string;
  /** The headers of the answer, whatever it will be. Kept apart until then: set one by one, they would cost a call each. */
  headers: Record<string, string>;
  /** The instant of the call: the clock is read once. */
  now: Instant;
  language: Language;
  /** What the call log will say of this call; each step adds what it knows. */
  call: CallDescription;
  deadline: Deadline;
  /** Both sides of the call, where the call log is to have them whole; absent everywhere else. */
  transcript: Transcript | undefined;
  /** Set by `authenticate`. */
  admission: Admission;
}

export type AppEnv = { Bindings: Env; Variables: Variables };
export type AppContext = Context<AppEnv>;
export type AppMiddleware = MiddlewareHandler<AppEnv>;
