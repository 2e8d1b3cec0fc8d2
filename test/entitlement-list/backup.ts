import { env } from 'cloudflare:workers';

/** What an import and the retention change, in an order in which foreign keys hold. */
const TABLES = [
  'parking_sessions',
  'subscriptions',
  'subscription_plates',
  'changes',
  'past_parking_sessions',
  'past_subscriptions',
  'past_subscription_plates',
  'imports',
] as const;

/** The columns that hold something of their own: a generated one cannot be inserted. */
async function storedColumns(): Promise<{ readonly table: string; readonly columns: string }[]> {
  // table_info leaves generated columns out.
  const results = await env.DB.batch<{ name: string }>(
    TABLES.map((table) => env.DB.prepare(`select name from pragma_table_info('${table}')`)),
  );
  return TABLES.map((table, index) => ({
    table,
    columns: (results[index]?.results ?? []).map(({ name }) => name).join(', '),
  }));
}

/** Keeps a copy of the database's rights, and their past, in tables of its own. */
export async function backUp(): Promise<void> {
  await env.DB.batch(
    (await storedColumns()).flatMap(({ table, columns }) => [
      env.DB.prepare(`drop table if exists kept_${table}`),
      env.DB.prepare(`create table kept_${table} as select ${columns} from ${table}`),
    ]),
  );
  await env.DB.batch([
    env.DB.prepare('drop table if exists kept_past_since'),
    env.DB.prepare('create table kept_past_since as select id, past_since from municipalities'),
  ]);
}

/** Restores the database to what {@link backUp} has kept. */
export async function restore(): Promise<void> {
  const tables = await storedColumns();
  await env.DB.batch([
    ...tables.toReversed().map(({ table }) => env.DB.prepare(`delete from ${table}`)),
    ...tables.map(({ table, columns }) =>
      env.DB.prepare(`insert into ${table} (${columns}) select ${columns} from kept_${table}`),
    ),
    // Rows erased or deleted since then are there again.
    env.DB.prepare(
      `update municipalities set past_since = kept.past_since from kept_past_since as kept where kept.id = municipalities.id`,
    ),
  ]);
}
