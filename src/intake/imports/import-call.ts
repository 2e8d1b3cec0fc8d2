import { refuse } from '../../base/errors/refusal.ts';
import { withTimeout } from '../../base/platform/deadline.ts';
import { errorMessage, logEvent } from '../../base/platform/log-event.ts';
import type { Language } from '../../base/text/text.ts';
import { type Instant, MINUTE_MS } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import { askObject } from '../../serving/access/credential-objects.ts';
import type { Grant } from '../../serving/access/grant.ts';
import type { Call } from '../../serving/call.ts';
import { readBody, requireUtf8, requireWhole } from '../../serving/http/body.ts';
import { grantedCode, requireGranted } from '../../serving/lookups/granted-municipality.ts';
import { dropStatistics } from '../../storage/db/statistics-table.ts';
import type { Pace } from './run-import.ts';
import { type Municipality, readMunicipality } from './target-table.ts';

/** A call that imports a file. */
export interface ImportCall {
  readonly env: Env;
  readonly now: Instant;
  readonly requestId: string;
  readonly language: Language;
  /** The changes that it has stored so far. */
  readonly progress: { stored: number };
}

/** The time limit of a batch, with its retries. */
const BATCH_MS = 10_000;

/** Limits one step at the database to a batch's time. */
export const limitTime = <T>(step: Promise<T>): Promise<T> => withTimeout(BATCH_MS, step);

/** Lets other calls of the isolate have their turn between two pieces. */
export const PACE: Pace = {
  nextTurn: () => scheduler.wait(0),
  inTime: (batch) => limitTime(batch()),
};

/**
 * The municipality of an import.
 *
 * @param named the code that the call names, if any
 * @throws Refusal `MUNICIPALITY_REQUIRED`, `MUNICIPALITY_NOT_ALLOWED`, `TENANT_DISABLED`
 */
export async function importedInto(c: Call, grant: Grant, named: string | undefined): Promise<Municipality> {
  const { DB: db } = c.env;
  const code = await grantedCode(db, grant, named);
  const municipality = requireGranted(await limitTime(readMunicipality(db, code)), grant);
  c.var.log.municipalityCode = code;
  // Imports make tables grow far beyond their statistics.
  if (municipality.hasStatistics) await limitTime(dropStatistics(db));
  return municipality;
}

/** Imports that may be under way in an isolate: with more, gates that share its thread would wait for them. */
const MAX_UNDER_WAY = 2;
/** An import ends within this time by itself: one that began earlier has died with its call. */
const ENDS_WITHIN_MS = 2 * MINUTE_MS;
/** How soon another try is worth it, in seconds. */
const BUSY_FOR_SECONDS = 5;

/** The instants at which an isolate's imports began. */
class ImportsUnderWay {
  #begunAt: Instant[] = [];

  /** @returns false if there is no room */
  begin(now: Instant): boolean {
    this.#begunAt = this.#begunAt.filter((at) => now - at < ENDS_WITHIN_MS);
    if (this.#begunAt.length >= MAX_UNDER_WAY) return false;
    this.#begunAt.push(now);
    return true;
  }

  end(begunAt: Instant): void {
    const index = this.#begunAt.indexOf(begunAt);
    if (index !== -1) this.#begunAt.splice(index, 1);
  }
}

/**
 * Does the work of an import within the bounds of its credential and of this isolate.
 *
 * @throws Refusal `BUSY` beside two others; `RATE_LIMIT_EXCEEDED` beside another of the credential, and past its day's changes
 */
export async function importWithinBounds<T>(
  c: Call,
  { credentialId }: Grant,
  work: (call: ImportCall) => Promise<T>,
): Promise<T> {
  const { env } = c;
  const { now, requestId, language } = c.var;
  const underWay = c.var.isolate.get(ImportsUnderWay);
  if (!underWay.begin(now)) refuse('BUSY', { headers: { 'Retry-After': String(BUSY_FOR_SECONDS) } });
  const progress = { stored: 0 };
  try {
    const wait = await askObject(env, credentialId, async (object) => object.beginImport());
    if (wait !== null) refuse('RATE_LIMIT_EXCEEDED', { headers: { 'Retry-After': String(wait) } });
    try {
      return await work({ env, now, requestId, language, progress });
    } finally {
      await endImport(env, credentialId, progress.stored);
    }
  } finally {
    underWay.end(now);
  }
}

/** An object that cannot be reached counts the import as ended after two minutes. */
const endImport = (env: Env, credentialId: string, stored: number): Promise<void> =>
  askObject(env, credentialId, async (object) => object.endImport(stored)).catch((error: unknown) =>
    logEvent('warn', 'import_not_ended', { credential_id: credentialId, message: errorMessage(error) }),
  );

/**
 * Reads the whole file.
 *
 * @throws Refusal `PAYLOAD_TOO_LARGE`; `INVALID_JSON` for a body that breaks off, or is no UTF-8
 */
export async function readFile(request: Request, maxBytes: number): Promise<Uint8Array> {
  const file = requireWhole(await readBody(request, maxBytes), maxBytes);
  requireUtf8(file);
  return file;
}
