import { env } from 'cloudflare:workers';

/** What an import and the retention change, in an order in which foreign keys hold. */
const TABLES = {
  parking_sessions:
    'id, municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at, cancelled_at, revision',
  subscriptions: null,
  subscription_plates: null,
  subscription_periods: null,
  subscription_areas: null,
  journal: null,
  journal_retention: null,
} as const;

const entries = Object.entries(TABLES).map(([table, columns]) => ({ table, columns: columns ?? '*' }));

/** Keeps a copy of the database's rights and journal beside them. */
export async function backUp(): Promise<void> {
  await env.DB.batch(
    entries.flatMap(({ table, columns }) => [
      env.DB.prepare(`drop table if exists kept_${table}`),
      env.DB.prepare(`create table kept_${table} as select ${columns} from ${table}`),
    ]),
  );
}

/** Restores the database to what {@link backUp} has kept. */
export async function restore(): Promise<void> {
  await env.DB.batch([
    ...entries.toReversed().map(({ table }) => env.DB.prepare(`delete from ${table}`)),
    ...entries.map(({ table, columns }) =>
      env.DB.prepare(
        `insert into ${table} ${columns === '*' ? '' : `(${columns})`} select * from kept_${table}`,
      ),
    ),
  ]);
}
