import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Json } from '../db/json.ts';
import { municipalities } from '../db/schema/index.ts';
import { tableAs } from '../db/sql.ts';
import { type RowIn, statement, value } from '../db/statement.ts';

const municipality = alias(municipalities, 'municipality');

const living = (ids: SQL): SQL => sql`
    json_each(${ids}) as given
    cross join ${tableAs(municipalities, municipality)}
      on ${municipality.id} = given.value
      and ${municipality.movedTo} is null`;

/**
 * The ids of those among some municipalities that live in the database, a JSON list: of others it may hold an old copy, or
 * one that is being made.
 *
 * @param ids a JSON list
 */
export const livingIds = (ids: SQL): SQL<Json<number[]>> => sql`(
    select json_group_array(${municipality.id})
    from ${living(ids)}
  )`;

/**
 * The same, a row each. Read it in one transaction with the search for a plate. The search is complete once every
 * municipality was found living in a database while that was searched: one may move from a database that is yet to be
 * searched into one that already was.
 */
export const LIVING_HERE = statement(
  { ids: value<Json<readonly number[]>>() },
  ({ ids }) => sql<{ readonly id: number }>`
  select ${municipality.id} as id
  from ${living(ids)}`,
);

export type LivingRow = RowIn<typeof LIVING_HERE>;
