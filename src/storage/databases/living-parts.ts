import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { municipalities } from '../db/schema/index.ts';
import { parameter, statement, tableAs } from '../db/sql.ts';

const IDS = parameter(1);
const municipality = alias(municipalities, 'municipality');

const LIVING = sql`json_each(${IDS}) as given cross join ${tableAs(municipalities, municipality)} on ${municipality.id} = given.value and ${municipality.movedTo} is null`;

/**
 * The ids of those among some municipalities that live in the database, a JSON list: of others it may hold an old copy, or
 * one that is being made. Parameter 1: the ids, a JSON list.
 */
export const LIVING_IDS = sql`(select json_group_array(${municipality.id}) from ${LIVING})`;

/**
 * The same, a row each. Read it in one transaction with the search for a plate. The search is complete once every
 * municipality was found living in a database while that was searched: one may move from a database that is yet to be
 * searched into one that already was.
 */
export const LIVING_HERE = statement(() => sql`select ${municipality.id} as id from ${LIVING}`);

export interface LivingRow {
  readonly id: number;
}
