import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { municipalities } from '../../db/schema/index.ts';
import { aliased, parameter, statement } from '../../db/sql.ts';

const IDS = parameter(1);
const l = alias(municipalities, 'l');

/**
 * The `from` of those among some municipalities that live in the database, `held.value` their ids: of others it may hold
 * an old copy, or one that is being made. Parameter 1: the ids, a JSON list.
 */
export const LIVING = sql`json_each(${IDS}) as held cross join ${aliased(municipalities, l)} on ${l.id} = held.value and ${l.movedTo} is null`;

/**
 * Their ids. To be read in one transaction with what is looked for: a plate is looked for everywhere once each municipality
 * was found living where it was looked for. One may move from where that is still to come to where it has been.
 */
export const LIVING_HERE = statement(() => sql`select ${l.id} as id from ${LIVING}`);

export interface LivingRow {
  readonly id: number;
}
