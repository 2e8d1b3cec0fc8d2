import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import { clockNow } from '../../base/platform/clock.ts';
import type { Instant } from '../../domain/instant.ts';
import type { AppEnv } from '../call.ts';
import { preferredLanguage } from '../http/language.ts';

/** Two years. Without `includeSubDomains`, since subdomains may not be ours. */
const STRICT_TRANSPORT_SECURITY = 'max-age=63072000';

/** The version's name where the platform has given it no id. */
const UNDEPLOYED = 'undeployed';

/**
 * An isolate's state between calls: one instance of each class, made on first use. Nothing but speed and
 * fairness may depend on it, since isolates come and go.
 */
export class Isolate {
  readonly #kept = new Map<new () => object, object>();

  /** This isolate's instance of a class. */
  get<T extends object>(type: new () => T): T {
    // The instance under a class was made by that class.
    return this.#kept.getOrInsertComputed(type, () => new type()) as T;
  }
}

/** Begins each call: its id, its instant, its language, and the headers that every answer has. */
export const begin = (isolate: Isolate) =>
  createMiddleware<AppEnv>(async (c, next) => {
    beginCall(c, isolate);
    await next();
  });

/** {@link begin}, for a call that fails before the chain. */
export function beginCall(c: Context<AppEnv>, isolate: Isolate): void {
  const now = clockNow();
  const requestId = newRequestId(now);
  const language = preferredLanguage(c.req.header('Accept-Language') ?? null);
  c.set('startedAt', performance.now());
  c.set('now', now);
  c.set('requestId', requestId);
  c.set('language', language);
  c.set('isolate', isolate);
  c.set('log', {
    requestId,
    at: now,
    address: clientAddress(c.req.raw.headers),
    operation: null,
    credentialId: null,
    tenant: null,
    municipalityCode: null,
    action: null,
    target: null,
    plate: null,
    plates: [],
    officerReference: null,
    outcome: 'OK',
    isAdmitted: false,
  });
  // The platform writes one too; on a machine of one's own this is the only one.
  c.header('Date', new Date(now).toUTCString());
  c.header('X-Request-Id', requestId);
  c.header('X-Service-Version', c.env.VERSION?.id || UNDEPLOYED);
  c.header('Cache-Control', 'no-store, private');
  c.header('X-Content-Type-Options', 'nosniff');
  c.header('Strict-Transport-Security', STRICT_TRANSPORT_SECURITY);
}

/** The characters of an IPv4 or IPv6 address, and its length. */
const CHARACTERS_OF_AN_ADDRESS = /^[0-9a-f.:]{2,45}$/i;

/**
 * The address of the client, from `CF-Connecting-IP` only: a client can forge any other such header. Without the platform
 * in front of the service it can forge this one too, so anything that cannot be an address is ignored.
 */
function clientAddress(headers: Headers): string | null {
  const address = headers.get('CF-Connecting-IP');
  return address !== null && CHARACTERS_OF_AN_ADDRESS.test(address) ? address : null;
}

/**
 * A UUID of version 7, which begins with its instant: the call log is in the order of its ids, and needs no index of
 * instants. An id that a client sends is ignored.
 */
export function newRequestId(now: Instant): string {
  const time = Math.max(now, 0).toString(16).padStart(12, '0');
  // A random UUID with its version and time replaced; the variant is already where it belongs.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}
