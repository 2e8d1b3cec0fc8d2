import { env } from 'cloudflare:workers';
import { sql } from 'drizzle-orm';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { type Instant, instant } from '../../src/domain/instant.ts';
import { type Plate, storedPlate } from '../../src/domain/plate.ts';
import { tenants } from '../../src/storage/db/schema/index.ts';
import { type Json, json, parsed } from '../../src/storage/db/sql.ts';
import { all, batch, first, select, statement, value } from '../../src/storage/db/statement.ts';
import { freshDatabase } from '../support/fresh-database.ts';

const ECHO = statement(
  { plate: value<Plate>(), at: value<Instant>(), count: value<number | null>() },
  ({ plate, at, count }) =>
    sql<{ at: number; plate: string; count: number | null }>`
    select ${at} as at, ${plate} as plate, ${count} as count`,
);
const values = { plate: storedPlate('AA000AA'), at: instant(5), count: null };

const TENANTS = statement({ codes: value<Json<readonly string[]>>() }, ({ codes }) =>
  select(
    { code: tenants.code, active: tenants.active },
    sql`
    from ${tenants}
    where ${tenants.code} in (select value from json_each(${codes}))`,
  ),
);

type Values = Parameters<typeof ECHO.prepare>[1];

describe('A statement', () => {
  it('numbers its parameters in the order of their declaration, and binds them by name', async () => {
    expect(ECHO.text()).toBe('select ?2 as at, ?1 as plate, ?3 as count');
    const { count, at, plate } = values;
    expect(await first(ECHO.prepare(env.DB, { count, at, plate }))).toEqual({ at: 5, plate, count });
  });

  it('takes its own values alone: swapped, missing, and further ones do not compile', () => {
    expectTypeOf(values).toExtend<Values>();
    expectTypeOf<{ plate: Instant; at: Plate; count: number }>().not.toExtend<Values>();
    expectTypeOf<{ plate: Plate; at: number; count: number }>().not.toExtend<Values>();
    expectTypeOf<{ plate: string; at: Instant; count: number }>().not.toExtend<Values>();
    expectTypeOf<{ plate: Plate; at: Instant }>().not.toExtend<Values>();
    expectTypeOf<keyof Values>().toEqualTypeOf<'plate' | 'at' | 'count'>();
  });

  it('tells a JSON list of one thing from that of another, and from a text', () => {
    type Codes = Parameters<typeof TENANTS.prepare>[1]['codes'];
    expectTypeOf(json(['H501'])).toExtend<Codes>();
    expectTypeOf(json([1])).not.toExtend<Codes>();
    expectTypeOf<string>().not.toExtend<Codes>();
    expectTypeOf(parsed(json([1]))).toEqualTypeOf<number[]>();
  });

  it('has the rows of its columns, in a batch too', async () => {
    await freshDatabase();
    const [echoed, found] = await batch(env.DB, [
      ECHO.prepare(env.DB, values),
      TENANTS.prepare(env.DB, { codes: json(['none']) }),
    ]);
    expectTypeOf(echoed.results).toEqualTypeOf<{ at: number; plate: string; count: number | null }[]>();
    // A flag is 0 or 1, as its driver has it.
    expectTypeOf(found.results).toEqualTypeOf<{ readonly code: string; readonly active: number }[]>();
    expect([echoed.results.length, found.results.length]).toEqual([1, 0]);
    expect((await all(TENANTS.prepare(env.DB, { codes: json(['none']) }))).results).toEqual([]);
  });

  it('carries no value in its text', () => {
    expect(() => statement({}, () => sql`select ${1}`).text()).toThrow('must not carry a value');
  });
});
