import { withTimeout } from '../../base/platform/deadline.ts';
import { lastRefresh, lastRetention } from '../../base/platform/kv-notes.ts';
import { unreadableVariables } from '../../base/platform/retention-days.ts';
import { HOUR_MS, type Instant, SECOND_MS } from '../../domain/instant.ts';
import { sourceFreshness } from '../../domain/source-freshness.ts';
import type { Env } from '../../env.ts';
import { signingKeyOf } from '../../serving/access/token.ts';
import { type Database, databasesOf } from '../../storage/databases/bindings.ts';
import { schemaOf } from '../../storage/databases/schema-table.ts';
import { sideBySide } from '../../storage/databases/side-by-side.ts';
import { digestKeys } from '../../storage/plate-digest/plate-digest.ts';
import type { DatabaseStatus, LateSource, MoveStatus, Status } from './contract.ts';
import {
  type DoubtfulSource,
  type FoundMove,
  MAX_LATE_SOURCES,
  MAX_MOVES,
  readDoubtfulSources,
  readMoves,
  sizeOf,
} from './status-table.ts';
import { receiverOf } from './webhook.ts';

/** A database that takes longer is away. */
const DATABASE_MS = 3 * SECOND_MS;
/** Of the right form. */
const ANY_SECRET = 'whsec_AAAA';
/** Variables that are `on` or `off`. */
/** It runs every hour. */
const RETENTION_LATE_MS = 2 * HOUR_MS;

interface Read {
  readonly status: DatabaseStatus;
  readonly sources: readonly DoubtfulSource[];
  readonly moves: readonly FoundMove[];
}

/** The status for the operator. An unreachable part is reported, and hides no other part. */
export async function findStatus(env: Env, now: Instant): Promise<Status> {
  const [databases, refreshed, retention] = await Promise.all([
    readDatabases(env, now),
    orNull(lastRefresh.read(env.SNAPSHOTS)),
    orNull(lastRetention.read(env.SNAPSHOTS)),
  ]);
  return {
    version: env.VERSION?.id || 'undeployed',
    databases: databases.map(({ status }) => status),
    late_sources: databases
      .flatMap(({ sources }) => sources.flatMap((source) => lateOf(source, now)))
      .slice(0, MAX_LATE_SOURCES),
    snapshots: { oldest_at: formatUtc(refreshed?.at ?? null) },
    retention: {
      last_run_at: formatUtc(retention?.at ?? null),
      behind: retention !== null && (retention.behind || retention.at < now - RETENTION_LATE_MS),
    },
    moves: movesOf(databases).slice(0, MAX_MOVES),
    failing: failingOf(env),
  };
}

async function readDatabases(env: Env, now: Instant): Promise<readonly Read[]> {
  const databases = databasesOf(env);
  const outcomes = await sideBySide(databases, (database) =>
    withTimeout(DATABASE_MS, readDatabase(database, now)),
  );
  return databases.map(({ name }, index) => {
    const outcome = outcomes[index];
    return outcome?.status === 'fulfilled'
      ? outcome.value
      : { status: { name, size_bytes: null, schema: null, reachable: false }, sources: [], moves: [] };
  });
}

async function readDatabase({ name, db }: Database, now: Instant): Promise<Read> {
  const [bytes, schema, sources, moves] = await Promise.all([
    sizeOf(db),
    schemaOf(db),
    readDoubtfulSources(db, now),
    readMoves(db),
  ]);
  return { status: { name, size_bytes: bytes, schema, reachable: true }, sources, moves };
}

function lateOf(source: DoubtfulSource, now: Instant): readonly LateSource[] {
  const status = sourceFreshness({ ...source, isSystem: false }, now);
  if (status !== 'stale' && status !== 'error') return [];
  return [
    {
      municipality_code: source.municipality,
      source_code: source.source,
      status,
      last_successful_at: formatUtc(source.lastSuccessfulAt),
    },
  ];
}

/** Both databases of a move have its row; the one in the new database has the progress. */
function movesOf(databases: readonly Read[]): MoveStatus[] {
  const rows = databases.flatMap(({ status, moves }) =>
    moves.map((move) => ({ ...move, isTarget: move.to === status.name })),
  );
  return [...Map.groupBy(rows, ({ municipalityId }) => municipalityId).values()].flatMap((ofOne) => {
    const code = ofOne.find(({ municipality }) => municipality !== null)?.municipality;
    const row = ofOne.find(({ isTarget }) => isTarget) ?? ofOne[0];
    if (row === undefined || !code) return [];
    return [{ municipality_code: code, to: row.to, state: stateOf(row, ofOne) }];
  });
}

function stateOf({ step }: FoundMove, rows: readonly FoundMove[]): MoveStatus['state'] {
  if (rows.some(({ state }) => state === 'calling_off')) return 'calling_off';
  return step === 'clean' ? 'cleaning' : 'copying';
}

/** Secrets that the service cannot rely on, and variables that it cannot read. */
function failingOf(env: Env): string[] {
  return [
    ...(hasSigningKey(env) ? [] : ['secret:TOKEN_KEY']),
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

function hasSigningKey({ TOKEN_KEY }: Env): boolean {
  try {
    return signingKeyOf(TOKEN_KEY) !== '';
  } catch {
    return false;
  }
}

const formatUtc = (at: Instant | null): string | null => (at === null ? null : new Date(at).toISOString());

/** Null for what KV cannot answer. */
const orNull = <T>(read: Promise<T>): Promise<T | null> => withTimeout(DATABASE_MS, read).catch(() => null);
