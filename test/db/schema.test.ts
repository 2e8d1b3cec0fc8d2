import { env } from 'cloudflare:workers';
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { describe, expect, it } from 'vitest';
import * as schema from '../../src/storage/db/schema/index.ts';

const tables = Object.values(schema).filter((value) => value instanceof SQLiteTable);

// That the migrations make the columns, indexes and keys of the code, `npm run check` sees.
describe('The migrated database', () => {
  it('has the tables of the code, and no others', async () => {
    const { results } = await env.DB.prepare("select name from sqlite_master where type = 'table'").all();
    const names = results.map(({ name }) => String(name)).filter((name) => !/^(sqlite_|_cf_|d1_)/.test(name));
    expect(names.sort()).toEqual(tables.map((table) => getTableConfig(table).name).sort());
  });

  it('refuses a session of a municipality that does not exist', async () => {
    const inserted = env.DB.prepare(`
      insert into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, recorded_at)
      values (1, 'a', 's', 1, 'A', 5, 1)`).run();
    await expect(inserted).rejects.toThrow('FOREIGN KEY constraint failed');
  });
});
