import { withTimeout } from '../../base/platform/deadline.ts';
import { errorMessage } from '../../base/platform/error-message.ts';
import { areOld, lastRefresh } from '../../base/platform/last-refresh.ts';
import { logEvent } from '../../base/platform/log-event.ts';
import { type Instant, SECOND_MS } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import { type Database, databasesOf, HOME } from '../../storage/databases/bindings.ts';
import { requireSchema } from '../../storage/databases/schema-table.ts';
import { sideBySide } from '../../storage/databases/side-by-side.ts';
import { digestKeys } from '../../storage/plate-digest/digest-keys.ts';
import { readFromObject } from '../access/credential-objects.ts';
import { signingKeyOf } from '../access/token.ts';

/** The parts that the service needs. */
const PARTS = ['home', 'kv', 'object', 'secret'] as const;
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
  const [databases, refreshed, object] = await Promise.all([
    unreadableDatabases(env),
    snapshots,
    attempt('object', () => readFromObject(env, UNUSED_OBJECT)),
  ]);
  const isFailing: Readonly<Record<Part, boolean>> = {
    home: databases.includes(HOME),
    kv: refreshed === 'failed',
    object: object === 'failed',
    secret: !hasSecrets(env),
  };
  const hasOld = refreshed === null || (refreshed !== 'failed' && areOld(refreshed.at, now));
  return {
    failing: PARTS.filter((part) => isFailing[part]),
    degraded: [
      ...databases.filter((name) => name !== HOME).map((name) => `database:${name}`),
      ...(hasOld ? ['snapshots'] : []),
    ],
  };
}

/** The databases that cannot be read, or lack a migration of this version. */
async function unreadableDatabases(env: Env): Promise<readonly string[]> {
  const databases = databasesOf(env);
  const outcomes = await sideBySide(databases, ({ name, db }: Database) =>
    attempt(name, () => requireSchema(db)),
  );
  return databases
    .filter((_, index) => {
      const outcome = outcomes[index];
      return outcome?.status !== 'fulfilled' || outcome.value === 'failed';
    })
    .map(({ name }) => name);
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
