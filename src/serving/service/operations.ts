import * as z from 'zod';
import { Refusal } from '../../base/errors/refusal.ts';
import { withTimeout } from '../../base/platform/deadline.ts';
import { areOld, lastRefresh } from '../../base/platform/kv-notes.ts';
import { errorMessage, logEvent } from '../../base/platform/log-event.ts';
import { type Instant, SECOND_MS } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import { requireSchema } from '../../storage/db/schema-table.ts';
import { digestKeys } from '../../storage/plate-digest/plate-digest.ts';
import { readFromObject } from '../access/credential-objects.ts';
import { signingKeyOf } from '../access/token.ts';
import { operation } from '../pipeline/operation.ts';

/** The parts that the service needs. */
const PARTS = ['database', 'kv', 'object', 'secret'] as const;
type Part = (typeof PARTS)[number];

interface Found {
  readonly failing: readonly Part[];
  /** Faults that stop no other part. */
  readonly degraded: readonly string[];
}

/** A part that takes longer is away. */
const PART_MS = 2 * SECOND_MS;
/** How long an isolate reuses its findings, so that anonymous calls cost nothing. */
const KEPT_MS = 5 * SECOND_MS;

/** The id of no credential: its object holds nothing, and is asked only whether it answers. */
const UNUSED_OBJECT = '0'.repeat(24);

/** An isolate's findings, and their time. */
class Readiness {
  #found: Found | null = null;
  #foundAt = 0;

  /** Whether the service can work: by asking its parts, or from this isolate's recent findings. */
  async find(env: Env, now: Instant): Promise<Found> {
    if (this.#found !== null && this.#foundAt <= now && now < this.#foundAt + KEPT_MS) return this.#found;
    // Until the next result, others get the last one: they must not wait for a call that may be cut off.
    this.#foundAt = now;
    this.#found = await findParts(env, now);
    return this.#found;
  }
}

async function findParts(env: Env, now: Instant): Promise<Found> {
  const snapshots = attempt('kv', () => lastRefresh.read(env.SNAPSHOTS));
  const [database, refreshed, object] = await Promise.all([
    attempt('database', () => requireSchema(env.DB)),
    snapshots,
    attempt('object', () => readFromObject(env, UNUSED_OBJECT)),
  ]);
  const isFailing: Readonly<Record<Part, boolean>> = {
    database: database === 'failed',
    kv: refreshed === 'failed',
    object: object === 'failed',
    secret: !hasSecrets(env),
  };
  const hasOld = refreshed === null || (refreshed !== 'failed' && areOld(refreshed.at, now));
  return {
    failing: PARTS.filter((part) => isFailing[part]),
    degraded: hasOld ? ['snapshots'] : [],
  };
}

async function attempt<T>(part: string, read: () => Promise<T>): Promise<T | 'failed'> {
  try {
    return await withTimeout(PART_MS, read());
  } catch (error) {
    logEvent('warn', 'not_ready', { part, message: errorMessage(error) });
    return 'failed';
  }
}

/** Whether tokens can be recognised, and digests of plates made. */
function hasSecrets(env: Env): boolean {
  try {
    signingKeyOf(env.TOKEN_KEY);
    return digestKeys(env).length > 0;
  } catch {
    return false;
  }
}

const readyResponse = z
  .object({
    ready: z.literal(true).describe('Always true: a service that is not ready answers 503.'),
    degraded: z
      .array(z.string().max(80))
      .max(100)
      .describe('Problems that do not stop the service: `snapshots` are older than five minutes.'),
  })
  .meta({ id: 'ReadyResponse', description: 'The service is ready.' });

/** Says that the Worker answers. Touches no storage. */
export const health = operation({
  id: 'getHealth',
  method: 'GET',
  path: '/health',
  access: { by: 'anybody' },
  deadlineMs: 5_000,
  answer: z.object({}).meta({ id: 'HealthResponse', description: 'The service answers.' }),
  handle: async () => ({ answer: {} }),
});

/** Says whether the parts work that the service cannot do without. */
export const ready = operation({
  id: 'getReady',
  method: 'GET',
  path: '/ready',
  access: { by: 'anybody' },
  // All parts at once, of two seconds at most each.
  deadlineMs: 5_000,
  answer: readyResponse,
  errors: ['NOT_READY'],
  handle: async (_, { env, now, isolate, deadline }) => {
    const { failing, degraded } = await deadline.race(isolate.get(Readiness).find(env, now));
    return failing.length > 0
      ? { refused: new Refusal('NOT_READY', { failing }) }
      : { answer: { ready: true as const, degraded: [...degraded] } };
  },
});

/** The description of the service: a file that was made when it was built. */
export const description = operation({
  id: 'getDescription',
  method: 'GET',
  path: '/api/v2/openapi.json',
  access: { by: 'anybody' },
  deadlineMs: 5_000,
  answer: null,
  crossOrigin: { exposeHeaders: ['X-Request-Id', 'ETag'] },
  cached: true,
  handle: async () => ({ asset: { path: '/openapi.json', contentType: 'application/json' } }),
});
