import { withTimeout } from '../../base/platform/deadline.ts';
import { areOld, lastRefresh } from '../../base/platform/kv-notes.ts';
import { errorMessage, logEvent } from '../../base/platform/log-event.ts';
import { type Instant, SECOND_MS } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import { requireSchema } from '../../storage/db/schema-table.ts';
import { requireDigestKeys } from '../../storage/plate-digest/plate-digest.ts';
import { askObject } from '../access/credential-objects.ts';
import { signingKeyOf } from '../access/token.ts';

interface Found {
  /** The parts that the service needs and that do not work, in the order of their names. */
  readonly failing: readonly string[];
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
  const failing: string[] = [];
  const attempt = async <T>(part: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await withTimeout(PART_MS, work());
    } catch (error) {
      failing.push(part);
      logEvent('warn', 'not_ready', { part, message: errorMessage(error) });
      return undefined;
    }
  };
  const [refreshed] = await Promise.all([
    attempt('kv', () => lastRefresh.read(env.SNAPSHOTS)),
    attempt('database', () => requireSchema(env.DB)),
    attempt('object', () => askObject(env, UNUSED_OBJECT, async (object): Promise<unknown> => object.read())),
    attempt('secret', async () => [signingKeyOf(env.TOKEN_KEY), requireDigestKeys(env)]),
  ]);
  const hasOld = refreshed === null || (refreshed !== undefined && areOld(refreshed.at, now));
  return { failing: failing.sort(), degraded: hasOld ? ['snapshots'] : [] };
}
