import { withTimeout } from '../../base/platform/deadline.ts';
import { areOld, lastRefresh } from '../../base/platform/kv-notes.ts';
import { errorMessage, logEvent } from '../../base/platform/log-event.ts';
import { type Instant, SECOND_MS } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import { requireSchema } from '../../storage/db/schema-table.ts';
import { digestKeys } from '../../storage/plate-digest/plate-digest.ts';
import { askObject } from '../access/credential-objects.ts';
import { signingKeyOf } from '../access/token.ts';

/** The parts that the service needs. */
const PARTS = ['database', 'kv', 'object', 'secret'] as const;
type Part = (typeof PARTS)[number];

interface Found {
  readonly failing: readonly Part[];
  /** Faults that stop no other part. */
  readonly degraded: readonly string[];
}

/** A part that takes longer counts as failing. */
const PART_MS = 2 * SECOND_MS;
/** How long an isolate reuses its findings, so that anonymous calls cost nothing. */
const KEPT_MS = 5 * SECOND_MS;

/** The id of no credential: its object holds nothing, and is asked only whether it answers. */
const UNUSED_OBJECT = '0'.repeat(24);

/** An isolate's findings, and their time. */
export class Readiness {
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
    attempt('object', () => askObject(env, UNUSED_OBJECT, async (object): Promise<unknown> => object.read())),
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
