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
    endsAt: integer('ends_at').notNull(),
  },
  (t) => [
    index('notes_by_recording').on(t.municipalityId, t.recordedAt),
    index('notes_by_plate').on(t.municipalityId, t.plate),
    index('notes_by_end').on(t.municipalityId, t.endsAt),
  ],
);
const MAKE = [
  'create table notes (id integer primary key, municipality_id integer not null, plate text not null, recorded_at integer not null, ends_at integer not null)',
  'create index notes_by_recording on notes (municipality_id, recorded_at)',
  'create index notes_by_plate on notes (municipality_id, plate)',
  'create index notes_by_end on notes (municipality_id, ends_at)',
];

describe('The description of the stored tables', () => {
  /** Of these, nothing goes with a municipality; or it goes with the row of another table. */
  const OTHERS = [
    ...['credential_municipalities', 'restores'],
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

  it('reads each table that holds plates in an order, so that a restore erases from all of them', async () => {
    const { STORED_TABLES } = await import('../../src/storage/db/stored-tables.ts');
    const plated = STORED_TABLES.filter(({ plate }) => plate !== undefined);
    expect(plated.filter(({ reading }) => reading.by !== 'order')).toEqual([]);
    expect(plated.length).toBeGreaterThan(4);
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
        plate: { column: notes.plate, index: 'notes_by_plate' },
        over: { kept: 'parking_session', at: notes.endsAt, index: 'notes_by_end' },
      };
      return { STORED_TABLES: [...STORED_TABLES, note] };
    });
  });
  afterAll(() => {
    vi.doUnmock(STORED);
    resetService();
    AsyncLocalStorage.prototype.disable = disable;
  });

  /** A city with a table of notes, which the other cell has too. */
  async function noted(named: string, values: string) {
    const { beginCells, settle } = await import('./cells.ts');
    await beginCells();
    for (const db of [env.DB, env.OTHER_CELL]) {
      await db.batch(['drop table if exists notes', ...MAKE].map((text) => db.prepare(text)));
    }
    const { code } = await settle(named);
    await env.DB.prepare(
      `insert into notes (municipality_id, plate, recorded_at, ends_at)
       select (select id from municipalities where code = '${named}'), ${values}`,
    ).run();
    return code;
  }
  const MANY = `'P' || i, i, 9e15 from (with recursive n(i) as (select 1 union all select i + 1 from n where i < 2500) select i from n)`;

  it('is backed up and restored, and deleted where a restore is thrown away', async () => {
    const { backUpInSteps, discardOf, restoreOf, restoreWhole } = await import('./backups.ts');
    const code = await noted('KEPT', MANY);
    const held = () => env.OTHER_CELL.prepare('select count(*) as n from notes').first('n');
    const parts = await backUpInSteps(code);
    for (const part of parts.slice(0, -1)) await restoreOf(code, part);
    let state: unknown = null;
    while (state !== 'discarded') ({ state } = (await discardOf(code)).body);
    expect(await held()).toBe(0);
    await restoreWhole(code, parts);
    expect(await held()).toBe(2_500);
  });

  const plates = async () =>
    (await env.DB.prepare('select plate from notes order by id').all<{ plate: string }>()).results.map(
      ({ plate }) => plate,
    );

  it('loses an erased plate, each row for a pseudonym of its own', async () => {
    const { HERE } = await import('./cells.ts');
    const { eraseAll, NOTHING } = await import('../admin/plates-support.ts');
    await noted('ERASED', `column1, column2, 9e15 from (values ('12345', 1), ('12345', 2), ('STAYS1', 3))`);
    expect(await eraseAll(HERE, '12345')).toMatchObject({ history: 2 });
    const [first, second, third] = await plates();
    expect([first, second]).toEqual([
      expect.stringMatching(/^\*[0-9a-f]{14}$/),
      expect.stringMatching(/^\*[0-9a-f]{14}$/),
    ]);
    expect(first).not.toBe(second);
    expect(third).toBe('STAYS1');
    expect(await eraseAll(HERE, '12345')).toEqual(NOTHING);
  });

  it('loses its rows by retention, once they are over', async () => {
    const { runRetention } = await import('../../src/upkeep/retention/run-retention.ts');
    const { DAY_MS, instant } = await import('../../src/domain/instant.ts');
    const now = instant(Date.now());
    const ago = (days: number) => now - days * DAY_MS;
    const lines = vi.spyOn(console, 'log').mockImplementation(() => {});
    await noted('AGED', `'P' || column1, 1, column2 from (values (1, ${ago(401)}), (2, ${ago(399)}))`);
    await runRetention(env, now);
    expect(await plates()).toEqual(['P2']);
    const reported = lines.mock.calls.map(([line]) => JSON.parse(line as string) as object);
    lines.mockRestore();
    expect(reported).toContainEqual(expect.objectContaining({ deletion: 'note', deleted: 1 }));
  });
});
