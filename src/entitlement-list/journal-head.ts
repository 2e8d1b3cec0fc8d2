import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { journal } from '../db/schema/index.ts';
import { aliased, parameter, statement } from '../db/sql.ts';
import type { Mark } from './cursor.ts';

const n = alias(journal, 'n');
const k = alias(journal, 'k');

const HEAD = statement(
  () => sql`
select ${n.sequence} as sequence, ${n.stamp} as stamp,
  (select ${k.stamp} from ${aliased(journal, k)} where ${k.sequence} = ${parameter(1)}) as known
from ${aliased(journal, n)} order by ${n.sequence} desc limit 1`,
);

interface HeadRow extends Mark {
  readonly known: Mark['stamp'] | null;
}

/** The newest row of the journal, and whether the one that a cursor rests on is still the same. */
export interface JournalHead {
  readonly newest: Mark;
  readonly isKnown: boolean;
}

/** What a journal without a row has for its newest: no cursor can rest on it. */
const NO_ROW = { sequence: 0, stamp: '' } as unknown as Mark;

/** The statement to send along with what is read, in one transaction with it. */
export const headStatement = (db: D1DatabaseSession, mark: Mark | null): D1PreparedStatement =>
  db.prepare(HEAD()).bind(mark?.sequence ?? null);

/** What {@link headStatement} has found. */
export function headOf(result: D1Result | undefined, mark: Mark | null): JournalHead {
  // The shape is that of the statement.
  const [row] = (result?.results ?? []) as HeadRow[];
  const newest = row === undefined ? NO_ROW : { sequence: row.sequence, stamp: row.stamp };
  return { newest, isKnown: mark === null || (row !== undefined && row.known === mark.stamp) };
}
