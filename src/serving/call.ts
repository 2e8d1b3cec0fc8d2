import type { Context, Hono } from 'hono';
import type * as z from 'zod';
import type { Language } from '../base/text/text.ts';
import type { Instant } from '../domain/instant.ts';
import type { Env } from '../env.ts';
import type { CallDescription } from '../storage/call-log/call-record.ts';
import type { Admission } from './access/admission.ts';
import type { Bounds } from './access/bounds.ts';
import type { Isolate } from './middleware/begin.ts';

/** What handlers and middleware find by `c.get`: `c.var` makes an object of them all each time. */
interface CallVariables {
  /** The id of the call: see `begin`. */
  readonly requestId: string;
  /** The instant of the call: the clock is read once. */
  readonly now: Instant;
  /** By the stopwatch, in milliseconds: for the call's duration. */
  readonly startedAt: number;
  /** Of texts for people. */
  readonly language: Language;
  /** This isolate's state between calls. */
  readonly isolate: Isolate;
  /** What the call log will say. Middleware and handlers write what they learn about the call. */
  readonly log: CallDescription;
  /** Whether the call log keeps its request and response whole. */
  readonly whole: boolean;
  /** Behind `credential`, and of an office's call behind `administration`. */
  readonly admission: Admission;
  /** Behind `administration`: what the caller may see and change. */
  readonly bounds: Promise<Bounds>;
}

export type AppEnv = { Bindings: Env; Variables: CallVariables };
export type App = Hono<AppEnv>;

/** What the validation of a body, a query or a path leaves for `c.req.valid`. */
export interface Validated<Target extends 'json' | 'query' | 'param', Schema extends z.ZodType> {
  in: { [target in Target]: z.input<Schema> };
  out: { [target in Target]: z.output<Schema> };
}

/** A call, as its handler gets it. */
export type Call<Input extends object = object> = Context<AppEnv, string, Input>;

/** A call with a JSON body. */
export type JsonCall<Schema extends z.ZodType> = Call<Validated<'json', Schema>>;
