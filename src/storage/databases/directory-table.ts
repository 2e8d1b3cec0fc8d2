import { sql } from 'drizzle-orm';
import { municipalities } from '../db/schema/index.ts';
import { all, select, statement } from '../db/statement.ts';

/** A municipality, and the name of its database. */
export interface DirectoryEntry {
  readonly code: string;
  readonly database: string;
}

const { code, movedTo } = municipalities;

const LIST_ELSEWHERE = statement({}, () =>
  select(
    { code, database: movedTo },
    sql`
    from ${municipalities}
    where ${movedTo} is not null`,
  ),
);

/** Lists the municipalities that live outside the home. */
export async function listElsewhere(home: D1Database): Promise<DirectoryEntry[]> {
  const { results } = await all(LIST_ELSEWHERE.prepare(home, {}));
  return results.flatMap(({ code, database }) => (database === null ? [] : [{ code, database }]));
}

const READ_CONTENTS = statement({}, () =>
  select(
    { code },
    sql`
    from ${municipalities}
    where ${movedTo} is null
    order by ${code}`,
  ),
);

/** Reads the codes of the municipalities that live in a database, in order, and the database's size. */
export async function readContents(
  db: D1Database,
): Promise<{ readonly codes: readonly string[]; readonly bytes: number }> {
  const { results, meta } = await all(READ_CONTENTS.prepare(db, {}));
  return { codes: results.map((row) => row.code), bytes: meta.size_after };
}
