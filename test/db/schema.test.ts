import { env } from 'cloudflare:workers';
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { describe, expect, it } from 'vitest';
import * as schema from '../../src/storage/db/schema/index.ts';

const tables = Object.values(schema).filter((value) => value instanceof SQLiteTable);
const all = async (sql: string, ...values: unknown[]) =>
  (
    await env.DB.prepare(sql)
      .bind(...values)
      .all<Record<string, unknown>>()
  ).results;

/** The names of an index's columns, in order. */
async function indexColumns(name: unknown): Promise<unknown[]> {
  return (await all('select name from pragma_index_info(?) order by seqno', name)).map((row) => row.name);
}

describe('The migrated database', () => {
  it('has the tables of the code, and no others', async () => {
    const names = (await all("select name from sqlite_master where type = 'table'"))
      .map(({ name }) => String(name))
      .filter((name) => !/^(sqlite_|_cf_|d1_)/.test(name));
    expect(names.sort()).toEqual(tables.map((table) => getTableConfig(table).name).sort());
  });

  describe.each(tables.map((table) => ({ ...getTableConfig(table) })))('has in $name', (table) => {
    it('the columns of the code, with their types, nullability and primary key', async () => {
      const found = await all(
        'select name, type, "notnull" as required, pk, hidden from pragma_table_xinfo(?)',
        table.name,
      );
      const keys = table.primaryKeys.flatMap((key) => key.columns.map(({ name }) => name));
      const coded = table.columns.map((column) => ({
        name: column.name,
        type: column.getSQLType().toUpperCase(),
        required: Number(column.notNull),
        pk: column.primary ? 1 : keys.indexOf(column.name) + 1,
        // 2: a virtual generated column.
        hidden: column.generated ? 2 : 0,
      }));
      const typed = found.map((column) => ({
        ...column,
        type: String(column.type).split(' ')[0]?.toUpperCase(),
      }));
      expect(typed).toEqual(coded);
    });

    it('the indexes and unique constraints of the code', async () => {
      const found = await all(
        "select name, origin from pragma_index_list(?) where origin <> 'pk'",
        table.name,
      );
      const columns = await Promise.all(found.map(({ name }) => indexColumns(name)));
      const coded = [
        ...table.indexes.map(({ config }) =>
          config.columns.map((column) => ('name' in column ? column.name : '')),
        ),
        ...table.uniqueConstraints.map((unique) => unique.columns.map(({ name }) => name)),
        ...table.columns.filter((column) => column.isUnique).map(({ name }) => [name]),
      ];
      expect(columns.map(String).sort()).toEqual(coded.map(String).sort());
    });

    it('the foreign keys of the code', async () => {
      const found = await all(
        'select id, "table", "from", "to", on_delete from pragma_foreign_key_list(?) order by id, seq',
        table.name,
      );
      const coded = table.foreignKeys.flatMap((key) => {
        const { columns, foreignColumns, foreignTable } = key.reference();
        return columns.map(
          ({ name }, index) =>
            `${name} -> ${getTableConfig(foreignTable).name}.${foreignColumns[index]?.name} ${(key.onDelete ?? 'no action').toUpperCase()}`,
        );
      });
      expect(found.map((row) => `${row.from} -> ${row.table}.${row.to} ${row.on_delete}`).sort()).toEqual(
        coded.sort(),
      );
    });

    it('the CHECKs of the code', async () => {
      const [row] = await all('select sql from sqlite_master where name = ?', table.name);
      for (const { name } of table.checks) {
        expect(row?.sql).toContain(`CONSTRAINT "${name}" CHECK`);
      }
    });
  });

  it.each([
    [
      'a session that ends before it starts',
      "insert into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at, recorded_at) values (1, 'a', 's', 1, 'A', 5, 4, 1)",
    ],
    [
      'a facility tolerance of more than a day',
      "insert into areas (id, municipality_id, code, name, area_type, active, service_enabled, plate_control_enabled, subscription_access, entry_grace_minutes, exit_grace_minutes) values (9, 1, 'A', 'A', 'facility', 1, 1, 1, 1, 1441, 0)",
    ],
    [
      'an area that is neither street nor facility',
      "insert into areas (id, municipality_id, code, name, area_type, active, service_enabled, plate_control_enabled, subscription_access, entry_grace_minutes, exit_grace_minutes) values (9, 1, 'A', 'A', 'roof', 1, 1, 1, 1, 0, 0)",
    ],
    ['an empty code', "insert into tenants (id, code, name, active) values (9, '', 'A', 1)"],
    [
      'a code of 81 characters',
      `insert into tenants (id, code, name, active) values (9, '${'x'.repeat(81)}', 'A', 1)`,
    ],
    ['the plan code 000', "insert into plans values (1, 1, 1, '000', 1, 'P1M', 'A', 1, 1, 1, 1)"],
    ['a plan code of letters', "insert into plans values (1, 1, 1, '10A', 1, 'P1M', 'A', 1, 1, 1, 1)"],
    ['a plan for nothing', "insert into plans values (1, 1, 1, '101', 0, 'P1M', 'A', 1, 1, 1, 1)"],
    [
      'a plan with a description in lower case',
      "insert into plans values (1, 1, 1, '101', 1, 'P1M', 'a', 1, 1, 1, 1)",
    ],
    [
      'a paid period that ends before it starts',
      "insert into payments (municipality_id, payment_id, plate, plan_code, amount_cents, collected_at, sent_collected_at, recorded_at, result_code, operation, starts_at, ends_at) values (1, 'P', 'A', '101', 1, 1, 1, 1, 'PERIOD_CREATED', 'renewal', 5, 4)",
    ],
    [
      'a suspension with an end alone',
      "insert into subscriptions (municipality_id, subscription_number, type_id, approval, periods, recorded_at, suspended_until) values (1, 'N', 1, 'approved', '[]', 1, 5)",
    ],
    [
      'an approval of another kind',
      "insert into subscriptions (municipality_id, subscription_number, type_id, approval, periods, recorded_at) values (1, 'N', 1, 'maybe', '[]', 1)",
    ],
  ])('refuses %s', async (_, sql) => {
    await expect(env.DB.prepare(sql).run()).rejects.toThrow('CHECK constraint failed');
  });

  it('refuses a session of a municipality that does not exist', async () => {
    const sql =
      "insert into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, recorded_at) values (1, 'a', 's', 1, 'A', 5, 1)";
    await expect(env.DB.prepare(sql).run()).rejects.toThrow('FOREIGN KEY constraint failed');
  });
});
