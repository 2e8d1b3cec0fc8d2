import { env } from 'cloudflare:workers';
import { AsyncLocalStorage } from 'node:async_hooks';
import { is } from 'drizzle-orm';
import { getTableConfig, index, integer, SQLiteTable, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import * as schema from '../../src/storage/db/schema/index.ts';
import type { StoredTable } from '../../src/storage/db/stored-table.ts';
import type * as tables from '../../src/storage/db/stored-tables.ts';
import { resetService } from '../support/own-modules.ts';

const STORED = '../../src/storage/db/stored-tables.ts';

const notes = sqliteTable(
  'notes',
  {
    id: integer('id').primaryKey(),
    municipalityId: integer('municipality_id').notNull(),
    plate: text('plate').notNull(),
    recordedAt: integer('recorded_at').notNull(),
  },
  (t) => [index('notes_by_recording').on(t.municipalityId, t.recordedAt)],
);

describe('The description of the stored tables', () => {
  /** Of these, nothing goes with a municipality; or it goes with the row of another table. */
  const OTHERS = [
    ...['credential_municipalities', 'moves'],
    ...['subscription_areas', 'subscription_periods'],
  ];
  const OWNERS = ['municipality_id', 'source_id', 'subscription_id', 'area_id'];

  it('names each table whose rows are a municipality’s', async () => {
    const { STORED_TABLES } = await import('../../src/storage/db/stored-tables.ts');
    const owned = Object.values(schema)
      .flatMap((table) => (is(table, SQLiteTable) ? [getTableConfig(table)] : []))
      .filter(({ columns }) => columns.some(({ name }) => OWNERS.includes(name)))
      .map(({ name }) => name);
    const names = STORED_TABLES.map(({ table }) => getTableConfig(table).name);
    expect(owned.filter((name) => !names.includes(name) && !OTHERS.includes(name))).toEqual([]);
    expect(names.length).toBeGreaterThan(15);
  });
});

// Vitest calls it when a module with a double is ready, and this runtime's has none: nothing depends on it.
const { disable } = AsyncLocalStorage.prototype;

describe('A table that is added to the description', () => {
  beforeAll(() => {
    AsyncLocalStorage.prototype.disable = () => {};
    resetService();
    vi.doMock(STORED, async (original) => {
      const { STORED_TABLES } = await original<typeof tables>();
      const { asTheyAre, ofMunicipality, together } = await import('../../src/storage/db/travelling.ts');
      const note: StoredTable = {
        ...{ kind: 'note', table: notes, owner: notes.municipalityId, key: [notes.id] },
        reading: {
          ...{ by: 'order', index: 'notes_by_recording', at: notes.recordedAt },
          order: [notes.recordedAt, notes.id],
        },
        travels: together([ofMunicipality(notes.municipalityId), asTheyAre(notes)]),
      };
      return { STORED_TABLES: [...STORED_TABLES, note] };
    });
  });
  afterAll(() => {
    vi.doUnmock(STORED);
    resetService();
    AsyncLocalStorage.prototype.disable = disable;
  });

  it('is moved, cleaned up, backed up and restored', async () => {
    const { beginMoving, moveThere, settle } = await import('./movers.ts');
    const { backUpInSteps, restoreWhole, serviceWithout } = await import('./backups.ts');
    const { SEVERAL } = await import('../support/several.ts');
    const service = await beginMoving();
    for (const name of ['DB', 'DB_2', 'DB_3'] as const) {
      await SEVERAL[name].batch([
        SEVERAL[name].prepare(
          'create table notes (id integer primary key, municipality_id integer not null, plate text not null, recorded_at integer not null)',
        ),
        SEVERAL[name].prepare('create index notes_by_recording on notes (municipality_id, recorded_at)'),
      ]);
    }
    const { code } = await settle(service, 'NOTED', 'DB_2');
    await env.SECOND.prepare(
      `insert into notes (municipality_id, plate, recorded_at)
       with recursive n(i) as (select 1 union all select i + 1 from n where i < 2500)
       select (select id from municipalities where code = 'NOTED'), 'P' || i, i from n`,
    ).run();
    const held = async () =>
      Promise.all(
        [env.DB, env.SECOND, env.THIRD].map((db) => db.prepare('select count(*) as n from notes').first('n')),
      );
    expect(await held()).toEqual([0, 2_500, 0]);
    await moveThere(service, code, 'DB_3');
    expect(await held()).toEqual([0, 0, 2_500]);
    const parts = await backUpInSteps(service, code);
    await restoreWhole(serviceWithout('DB_3'), code, parts, 'DB_2');
    expect(await held()).toEqual([0, 2_500, 2_500]);
  });
});
