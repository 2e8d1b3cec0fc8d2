import { isStrongSecret, keysIn } from '../../base/crypto/secrets.ts';
import { withTimeout } from '../../base/platform/deadline.ts';
import { lastRefresh, lastRetention } from '../../base/platform/kv-notes.ts';
import { unreadableVariables } from '../../base/platform/retention-days.ts';
import { HOUR_MS, type Instant, SECOND_MS } from '../../domain/instant.ts';
import { sourceFreshness } from '../../domain/source-freshness.ts';
import type { Env } from '../../env.ts';
import { digestKeys } from '../../storage/plate-digest/plate-digest.ts';
import type { LateSource, Status } from './contract.ts';
import { type DoubtfulSource, readDatabase } from './status-table.ts';
import { receiverOf } from './webhook.ts';

/** A part that takes longer counts as unreachable. */
const PART_MS = 3 * SECOND_MS;
/** Of the right form. */
const ANY_SECRET = 'whsec_AAAA';
/** Retention runs every hour. */
const RETENTION_LATE_MS = 2 * HOUR_MS;

/**
 * The status for the operator. An unreachable part is reported, and hides no other part: the database, which is read in one trip, is
 * one, and so is each note in KV.
 */
export async function findStatus(env: Env, now: Instant): Promise<Status> {
  const [database, refreshed, retention] = await Promise.all([
    orNull(readDatabase(env.DB, now)),
    orNull(lastRefresh.read(env.SNAPSHOTS)),
    orNull(lastRetention.read(env.SNAPSHOTS)),
  ]);
  const { sources = [], size_bytes = null, schema = null } = database ?? {};
  return {
    version: env.VERSION?.id || 'undeployed',
    database: { size_bytes, schema },
    late_sources: sources.flatMap((source) => lateOf(source, now)),
    snapshots: { oldest_at: formatUtc(refreshed?.at ?? null) },
    retention: {
      last_run_at: formatUtc(retention?.at ?? null),
      behind: retention !== null && (retention.behind || retention.at < now - RETENTION_LATE_MS),
    },
    failing: failingOf(env),
  };
}

function lateOf({ municipality_code, source_code, ...facts }: DoubtfulSource, now: Instant): LateSource[] {
  const status = sourceFreshness({ ...facts, isSystem: false }, now);
  if (status !== 'stale' && status !== 'error') return [];
  return [{ municipality_code, source_code, status, last_successful_at: formatUtc(facts.lastSuccessfulAt) }];
}

/** Secrets that the service cannot rely on, and variables that it cannot read. */
function failingOf(env: Env): string[] {
  // The first of its keys signs.
  const [signing = ''] = keysIn(env.TOKEN_KEY);
  return [
    ...(isStrongSecret(signing) ? [] : ['secret:TOKEN_KEY']),
    ...(digestKeys(env).length > 0 ? [] : ['secret:DIGEST_KEY']),
    ...unusableReceiver(env),
    ...unreadableVariables(env).map((name) => `variable:${name}`),
  ];
}

/** The variables of a receiver of alerts that are wrong or missing. */
function unusableReceiver({ ALERT_URL: url, ALERT_SECRET: secret }: Env): string[] {
  if ((!url && !secret) || receiverOf(url, secret) !== null) return [];
  return [receiverOf(url, ANY_SECRET) === null ? 'secret:ALERT_URL' : 'secret:ALERT_SECRET'];
}

const formatUtc = (at: Instant | null): string | null => (at === null ? null : new Date(at).toISOString());

/** Null for an unreachable part. */
const orNull = <T>(read: Promise<T>): Promise<T | null> => withTimeout(PART_MS, read).catch(() => null);
