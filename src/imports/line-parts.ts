import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';

/** A value of `line`, a JSON list. */
export const lineAt = (index: number): SQL => sql.raw(`line.value ->> ${index}`);

/** Whether nothing stored is newer than a line, by their revisions. One without a revision is never older. */
export const isNotOlder = (line: SQLWrapper, stored: SQLWrapper): SQL =>
  sql`(${line} is null or ${stored} is null or ${line} >= ${stored})`;

/** The revision after a line: a line without one leaves the row the one it has. */
export const revisionAfter = (line: SQLWrapper, stored: SQLWrapper): SQL => sql`coalesce(${line}, ${stored})`;
