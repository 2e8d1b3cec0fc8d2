import { lt } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { READS_JOURNAL, schemaState } from './schema/index.ts';

/**
 * To be run before rows of the journal are written: the version before, which does not know shared rows, then
 * neither writes the database any more nor can be rolled back to. The migration does not say so, since that one is at work
 * until the switch.
 */
export const requireReadingOfJournal = (db: D1Database) =>
  drizzle(db)
    .update(schemaState)
    .set({ lowestWriter: READS_JOURNAL })
    .where(lt(schemaState.lowestWriter, READS_JOURNAL));
