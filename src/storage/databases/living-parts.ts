import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { municipalities } from '../db/schema/index.ts';
import { type Json, tableAs } from '../db/sql.ts';
import { statement, value } from '../db/statement.ts';

const municipality = alias(municipalities, 'municipality');

const living = (ids: SQL): SQL => sql`
    json_each(${ids}) as given
    cross join ${tableAs(municipalities, municipality)}
      on ${municipality.id} = given.value
      and ${municipality.movedTo} is null`;

/**
 * The ids of the municipalities that live in this database, a JSON list. Leaves out those of which it only has an old or an
 * arriving copy.
 *
 * @param ids a JSON list
 */
export const livingIds = (ids: SQL): SQL<Json<number[]>> => sql`(
    select json_group_array(${municipality.id})
    from ${living(ids)}
  )`;

/**
 * Selects the municipalities that live in this database. Read it in the transaction that searches the database for a plate.
 * The search is complete once every municipality was living in a database as that was searched: until then, one may have
 * moved from a database still to be searched to one already searched.
 */
export const LIVING_HERE = statement(
  { ids: value<Json<readonly number[]>>() },
  ({ ids }) => sql<{ readonly id: number }>`
  select ${municipality.id} as id
  from ${living(ids)}`,
);
