import type { Context } from 'hono';
import { Deadline } from '../../base/platform/deadline.ts';
import type { Language } from '../../base/text/text.ts';
import { type Instant, instant } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import type { CallDescription } from '../../storage/call-log/call-record.ts';
import type { ReadBody } from '../http/body.ts';
import { preferredLanguage } from '../http/language.ts';
import { officerIn } from './officer-reference.ts';
import type { Operation } from './operation.ts';

/**
 * The id of a call: a UUID of version 7, which begins with its instant. The call log is in the order of its ids, and needs
 * no index of instants.
 */
export function newRequestId(now: Instant): string {
  const time = Math.max(now, 0).toString(16).padStart(12, '0');
  // A random UUID with its version and time replaced; the variant is already where it belongs.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}

export type AppEnv = { Bindings: Env };

/** A call in the pipeline: its request, and its state so far. */
export interface Call {
  readonly env: Env;
  readonly request: Request;
  readonly requestId: string;
  /** The clock is read once per call. */
  readonly now: Instant;
  /** By the stopwatch, in milliseconds: for the call's duration. */
  readonly startedAt: number;
  readonly language: Language;
  readonly deadline: Deadline;
  readonly waitUntil: (work: Promise<unknown>) => void;
  /** Headers of the answer, of any status. */
  readonly headers: Record<string, string>;
  /** The call log's row. */
  readonly log: CallDescription;
  /** The read of the body; null before it begins. */
  reading: Promise<ReadBody> | null;
  /** The body as its schema gave it; null while there is none. */
  body: unknown;
  /** The JSON text of the answer. */
  answered: string | null;
}

/** Two years. Without `includeSubDomains`, since subdomains may not be ours. */
const STRICT_TRANSPORT_SECURITY = 'max-age=63072000';

/** The version's name where the platform has given it no id. */
const UNDEPLOYED = 'undeployed';

/** The time of a call that no operation takes: an unknown path, another method. */
const NO_OPERATION_MS = 5_000;

/**
 * Begins a call: gives it its id, its instant and its language, and the headers that every answer has. An id that a client
 * sends is ignored.
 *
 * @param operation null for an unknown path or method
 * @param pathHeaders of every answer of its path
 */
export function beginCall(
  c: Context<AppEnv>,
  operation: Operation | null,
  pathHeaders: Readonly<Record<string, string>>,
): Call {
  const startedAt = performance.now();
  const now = instant(Date.now());
  const requestId = newRequestId(now);
  const { raw: request } = c.req;
  const { executionCtx } = c;
  return {
    env: c.env,
    request,
    requestId,
    now,
    startedAt,
    language: preferredLanguage(request.headers.get('Accept-Language')),
    deadline: new Deadline(operation?.deadlineMs ?? NO_OPERATION_MS),
    waitUntil: (work) => executionCtx.waitUntil(work),
    headers: {
      // The platform writes one too; on a machine of one's own this is the only one.
      Date: new Date(now).toUTCString(),
      'X-Request-Id': requestId,
      'X-Service-Version': c.env.VERSION?.id || UNDEPLOYED,
      'Cache-Control': 'no-store, private',
      'X-Content-Type-Options': 'nosniff',
      'Strict-Transport-Security': STRICT_TRANSPORT_SECURITY,
      ...pathHeaders,
    },
    log: {
      operation: operation?.log?.operation ?? null,
      credentialId: null,
      tenant: null,
      municipalityCode: null,
      action: operation?.log?.action ?? null,
      target: null,
      plate: null,
      plates: [],
      officerReference: operation?.takesOfficer ? officerIn(c.req.raw.headers) : null,
      outcome: 'OK',
      isLineOnly: false,
    },
    reading: null,
    body: null,
    answered: null,
  };
}
