import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { recordedAt } from '../db/journal-sql.ts';
import { areas } from '../db/schema/index.ts';
import { bytesOfUuid, parameter, tableAs } from '../db/sql.ts';
import { lineAt } from './line-parts.ts';
import { SESSION_VALUES } from './session-line.ts';

const area = alias(areas, 'area');

/** The session's area, where that may have a list. */
export const FACILITY = sql`${area.id}`;
export const JOINED_FACILITY = sql`left join ${tableAs(areas, area)} on ${area.id} = ${lineAt(SESSION_VALUES.indexOf('areaId'))} and ${area.areaType} = 'facility'`;

/** A new session needs no row of the journal, unless a list asks for its place in the sequence. 4: now; 5: the call. */
export const KNOWN = [
  sql`iif(${FACILITY} is null, ${recordedAt(parameter(4))}, null)`,
  sql`iif(${FACILITY} is null, ${bytesOfUuid(parameter(5))}, null)`,
];
