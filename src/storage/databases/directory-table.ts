import { sql } from 'drizzle-orm';
import { municipalities } from '../db/schema/index.ts';
import { columns, type RowOf, statement } from '../db/sql.ts';

/** A municipality, and the name of its database. */
export interface DirectoryEntry {
  readonly code: string;
  readonly database: string;
}

const { code, movedTo } = municipalities;

const ENTRY = { code, database: movedTo };
const LIST_ELSEWHERE = statement(
  () => sql`select ${columns(ENTRY)} from ${municipalities} where ${movedTo} is not null`,
);

/** The municipalities that live outside the home, by its directory. */
export async function listElsewhere(home: D1Database): Promise<DirectoryEntry[]> {
  const { results } = await home.prepare(LIST_ELSEWHERE()).all<RowOf<typeof ENTRY>>();
  return results.flatMap(({ code, database }) => (database === null ? [] : [{ code, database }]));
}

const CONTENT = { code };
const READ_CONTENTS = statement(
  () => sql`select ${columns(CONTENT)} from ${municipalities} where ${movedTo} is null order by ${code}`,
);

/** The codes of the municipalities that live in a database, in order, and the size of the database. */
export async function readContents(
  db: D1Database,
): Promise<{ readonly codes: readonly string[]; readonly bytes: number }> {
  const { results, meta } = await db.prepare(READ_CONTENTS()).all<RowOf<typeof CONTENT>>();
  return { codes: results.map((row) => row.code), bytes: meta.size_after };
}
