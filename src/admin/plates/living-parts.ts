import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { municipalities } from '../../db/schema/index.ts';
import { aliased, parameter, statement } from '../../db/sql.ts';

const IDS = parameter(1);
const l = alias(municipalities, 'l');

const LIVING = sql`json_each(${IDS}) as given cross join ${aliased(municipalities, l)} on ${l.id} = given.value and ${l.movedTo} is null`;

/**
 * The ids of those among some municipalities that live in the database, a JSON list: of others it may hold an old copy, or
 * one that is being made. Parameter 1: the ids, a JSON list.
 */
export const LIVING_IDS = sql`(select json_group_array(${l.id}) from ${LIVING})`;

/**
 * The same, a row each. To be read in one transaction with what is looked for: a plate is looked for everywhere once each
 * municipality was found living where it was looked for. One may move from where that is still to come to where it has been.
 */
export const LIVING_HERE = statement(() => sql`select ${l.id} as id from ${LIVING}`);

export interface LivingRow {
  readonly id: number;
}
