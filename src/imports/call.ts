import type * as z from 'zod';
import type { Credential } from '../access/credential-record.ts';
import { invalidRequest } from '../errors/refusal.ts';
import type { AppContext } from '../http/context.ts';
import { issuesOf } from '../http/validation.ts';
import { within } from '../platform/deadline.ts';
import { chooseMunicipality, type Municipality } from './target.ts';

/** What a batch may take, retries included. */
const BATCH_MS = 10_000;

/**
 * The credential, once its admission stands. An import stores what it is sent, so that none of it may begin beside an
 * admission that is only presumed.
 */
export async function admitted(c: AppContext): Promise<Credential> {
  return (await c.var.admission.settled).credential;
}

/** The outcome of one step at the database: it fails past a batch's time, and past the whole import's. */
export function inTime<T>(c: AppContext, step: Promise<T>): Promise<T> {
  return c.var.deadline.race(within(BATCH_MS, step));
}

/**
 * The query parameters. One given twice is refused: only one of the two could count.
 *
 * @throws Refusal `INVALID_REQUEST` with every parameter that is wrong
 */
export function queryOf<Schema extends z.ZodType>(c: AppContext, schema: Schema): z.infer<Schema> {
  const sent = Object.entries(c.req.queries()).map(([name, values]) => [
    name,
    values.length === 1 ? values[0] : values,
  ]);
  const parsed = schema.safeParse(Object.fromEntries(sent));
  if (!parsed.success) {
    throw invalidRequest(issuesOf(parsed.error.issues));
  }
  return parsed.data;
}

/** Chooses the municipality, and tells the call log. */
export async function municipalityOf(
  c: AppContext,
  credential: Credential,
  asked: string | undefined,
): Promise<Municipality> {
  const municipality = await inTime(c, chooseMunicipality(c.env.DB, credential, asked));
  c.var.call.municipalityCode = municipality.code;
  return municipality;
}
