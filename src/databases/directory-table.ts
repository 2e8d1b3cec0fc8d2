import { asc, isNotNull, isNull } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { municipalities } from '../db/schema/index.ts';

/** A municipality, and the name of its database. */
export interface DirectoryEntry {
  readonly code: string;
  readonly database: string;
}

/** The municipalities that live outside the home, by its directory. */
export async function listElsewhere(home: D1Database): Promise<DirectoryEntry[]> {
  const rows = await drizzle(home)
    .select({ code: municipalities.code, database: municipalities.movedTo })
    .from(municipalities)
    .where(isNotNull(municipalities.movedTo));
  return rows.flatMap(({ code, database }) => (database === null ? [] : [{ code, database }]));
}

/** The codes of the municipalities that live in a database, in order, and the size of the database. */
export async function readContents(
  db: D1Database,
): Promise<{ readonly codes: readonly string[]; readonly bytes: number }> {
  const { results, meta } = await drizzle(db)
    .select({ code: municipalities.code })
    .from(municipalities)
    .where(isNull(municipalities.movedTo))
    .orderBy(asc(municipalities.code))
    .run();
  return { codes: (results as { code: string }[]).map(({ code }) => code), bytes: meta.size_after };
}
