import { env } from 'cloudflare:workers';
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { describe, expect, it } from 'vitest';
import * as schema from '../../src/storage/db/schema/index.ts';

const tables = Object.values(schema).filter((value) => value instanceof SQLiteTable);

const AREA = {
  ...{ municipality_id: 1, code: 'A', name: 'A', area_type: 'facility', active: 1, service_enabled: 1 },
  ...{ plate_control_enabled: 1, subscription_access: 1, entry_grace_minutes: 0, exit_grace_minutes: 0 },
};
const TENANT = { code: 'acme', name: 'Acme', active: 1 };
const PLAN = {
  ...{
    municipality_id: 1,
    subscription_type_id: 1,
    code: '101',
    amount_cents: 1,
    duration: 'P1M',
    description: 'A',
  },
  ...{ for_first_activation: 1, for_renewal: 1, on_parking_meter: 1, active: 1 },
};
const SESSION = {
  ...{
    municipality_id: 1,
    source_code: 'a',
    session_id: 's',
    area_id: 1,
    plate: 'A',
    starts_at: 5,
    recorded_at: 1,
  },
};
const SUBSCRIPTION = {
  ...{
    municipality_id: 1,
    subscription_number: 'N',
    type_id: 1,
    approval: 'approved',
    periods: '[]',
    recorded_at: 1,
  },
};
const PAYMENT = {
  ...{ municipality_id: 1, payment_id: 'P', plate: 'A', plan_code: '101', amount_cents: 1, collected_at: 1 },
  ...{ sent_collected_at: 1, recorded_at: 1, result_code: 'PERIOD_CREATED', operation: 'renewal' },
};

const insert = (table: string, row: object) =>
  env.DB.prepare(`insert into ${table} (${Object.keys(row)}) values (${Object.keys(row).map(() => '?')})`)
    .bind(...Object.values(row))
    .run();

// That the migrations make the columns, indexes and keys of the code, `npm run check` sees.
describe('The migrated database', () => {
  it('has the tables of the code, and no others', async () => {
    const { results } = await env.DB.prepare("select name from sqlite_master where type = 'table'").all();
    const names = results.map(({ name }) => String(name)).filter((name) => !/^(sqlite_|_cf_|d1_)/.test(name));
    expect(names.sort()).toEqual(tables.map((table) => getTableConfig(table).name).sort());
  });

  it.each<[string, string, object]>([
    ['a session that ends before it starts', 'parking_sessions', { ...SESSION, ends_at: 4 }],
    ['a facility tolerance of more than a day', 'areas', { ...AREA, entry_grace_minutes: 1_441 }],
    ['an area that is neither street nor facility', 'areas', { ...AREA, area_type: 'roof' }],
    ['an empty code', 'tenants', { ...TENANT, code: '' }],
    ['a code of 81 characters', 'tenants', { ...TENANT, code: 'x'.repeat(81) }],
    ['the plan code 000', 'plans', { ...PLAN, code: '000' }],
    ['a plan code of letters', 'plans', { ...PLAN, code: '10A' }],
    ['a plan for nothing', 'plans', { ...PLAN, amount_cents: 0 }],
    ['a plan with a description in lower case', 'plans', { ...PLAN, description: 'a' }],
    ['a paid period that ends before it starts', 'payments', { ...PAYMENT, starts_at: 5, ends_at: 4 }],
    ['a suspension with an end alone', 'subscriptions', { ...SUBSCRIPTION, suspended_until: 5 }],
    ['an approval of another kind', 'subscriptions', { ...SUBSCRIPTION, approval: 'maybe' }],
  ])('refuses %s', async (_, table, row) => {
    await expect(insert(table, row)).rejects.toThrow('CHECK constraint failed');
  });

  it('refuses a session of a municipality that does not exist', async () => {
    await expect(insert('parking_sessions', SESSION)).rejects.toThrow('FOREIGN KEY constraint failed');
  });
});
