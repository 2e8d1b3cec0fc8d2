import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { type CheckBuilder, check, integer, text } from 'drizzle-orm/sqlite-core';
import type { Instant } from '../../../domain/instant.ts';
import { MAX_PLATE_LENGTH, type Plate } from '../../../domain/plate.ts';

/** Of a tenant, municipality, area, source or type, in characters. */
export const CODE_LENGTH = 80;
/** Of any name, in characters. */
export const NAME_LENGTH = 200;

/** An instant: milliseconds since the epoch, UTC. */
export const instantColumn = (name: string) => integer(name).$type<Instant>();

/** A plate, normalized; a pseudonym once it was erased. */
export const plateColumn = () => text('plate').$type<Plate>();

/** The CHECK of {@link plateColumn}. */
export const plateLength = (column: SQLWrapper): SQL => lengthWithin(column, MAX_PLATE_LENGTH);

/** The highest revision of a line; null if no line had one. A higher one alone makes no version. */
export const revisionColumn = () => integer('revision');

/** A boolean, stored as 0 or 1. */
export const flag = (name: string) => integer(name, { mode: 'boolean' });

/** The CHECK of a text column of a closed union. The values are constants of ours, and so need no escaping. */
export const oneOf = (column: SQLWrapper, values: readonly string[]): SQL =>
  sql`${column} in (${sql.raw(values.map((value) => `'${value}'`).join(', '))})`;

/** The CHECK of a text column's length, in characters. */
export const lengthWithin = (column: SQLWrapper, longest: number): SQL =>
  sql`length(${column}) between 1 and ${sql.raw(String(longest))}`;

/** A code, which never changes, and a name for people. */
export const codeAndName = () => ({ code: text('code').notNull(), name: text('name').notNull() });

/** The CHECKs of {@link codeAndName}, for a table of this name. */
export const codeAndNameChecks = (
  table: string,
  columns: { readonly code: SQLWrapper; readonly name: SQLWrapper },
): CheckBuilder[] => [
  check(`${table}_code_length`, lengthWithin(columns.code, CODE_LENGTH)),
  check(`${table}_name_length`, lengthWithin(columns.name, NAME_LENGTH)),
];
