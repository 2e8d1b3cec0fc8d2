import { areOld } from '../../base/platform/last-refresh.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Status } from './contract.ts';
import { MAX_LATE_SOURCES } from './status-table.ts';

/** Something that an operator should know about, for as long as it holds. */
export interface Condition {
  /** Identifies the condition from run to run. */
  readonly key: string;
  readonly alert:
    | 'source_late'
    | 'snapshots_old'
    | 'database_filling'
    | 'retention_behind'
    | 'setting_unusable';
  /**
   * An instant in the data that stays the same from the beginning of the trouble to its end, and is another one in the next.
   * Null where the data has none.
   */
  readonly begunAt: string | null;
  /** No plate, no token, no secret. */
  readonly about: Readonly<Record<string, string | number | null>>;
}

/** 80 % of the 10 GB that the platform gives a database. */
const FILLING_BYTES = 8_000_000_000;

/**
 * The conditions that hold now, by the status. An unknown value, such as the size of a database that is away,
 * raises none.
 */
export function conditionsOf(status: Status, now: Instant): Condition[] {
  const { late_sources: late, snapshots, databases, retention, failing } = status;
  const oldest = snapshots.oldest_at;
  const old: Condition[] =
    oldest !== null && areOld(Date.parse(oldest), now)
      ? [{ key: 'snapshots_old', alert: 'snapshots_old', begunAt: oldest, about: { oldest_at: oldest } }]
      : [];
  return [
    ...late.map(
      (source): Condition => ({
        key: `source_late ${source.municipality_code} ${source.source_code}`,
        alert: 'source_late',
        begunAt: source.last_successful_at,
        about: source,
      }),
    ),
    ...old,
    ...databases.flatMap(({ name, size_bytes: bytes }): Condition[] =>
      bytes !== null && bytes > FILLING_BYTES
        ? [
            {
              key: `database_filling ${name}`,
              alert: 'database_filling',
              begunAt: null,
              about: { database: name, size_bytes: bytes },
            },
          ]
        : [],
    ),
    ...(retention.behind
      ? [
          {
            key: 'retention_behind',
            alert: 'retention_behind',
            // Later runs may be behind too: the alert keeps the instant of the first.
            begunAt: retention.last_run_at,
            about: { last_run_at: retention.last_run_at },
          } as const,
        ]
      : []),
    ...failing.map(
      (name): Condition => ({
        key: `setting_unusable ${name}`,
        alert: 'setting_unusable',
        begunAt: null,
        about: { name },
      }),
    ),
  ];
}

/** The alerts that the status cannot show to be over: a database or KV is away, or its list was cut off. */
export function undecidedAlerts(status: Status): ReadonlySet<Condition['alert']> {
  const { databases, snapshots, retention } = status;
  const isAway = databases.some(({ reachable }) => !reachable);
  const isCut = status.late_sources.length >= MAX_LATE_SOURCES;
  return new Set([
    ...(isAway || isCut ? (['source_late'] as const) : []),
    ...(isAway ? (['database_filling'] as const) : []),
    ...(snapshots.oldest_at === null ? (['snapshots_old'] as const) : []),
    ...(retention.last_run_at === null ? (['retention_behind'] as const) : []),
  ]);
}
