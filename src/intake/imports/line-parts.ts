import { type SQL, sql } from 'drizzle-orm';

/** A value of `line`, a JSON list. */
export const lineAt = (index: number): SQL => sql.raw(`line.value ->> ${index}`);
