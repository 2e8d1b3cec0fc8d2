import { invalidRequest } from '../../http/refusal.ts';
import { type ChangeCounts, countsOf } from './changes.ts';
import { isConflict, readConfiguration, writeConfiguration } from './configuration-table.ts';
import { mergeConfiguration } from './merge.ts';
import type { Reading } from './reading.ts';

/**
 * Puts a document: all of it or nothing.
 *
 * @throws Refusal `INVALID_REQUEST` with everything that is wrong with it
 */
export async function putConfiguration(db: D1Database, reading: Reading): Promise<ChangeCounts> {
  try {
    return await readAndWrite(db, reading);
  } catch (error) {
    if (!isConflict(error)) {
      throw error;
    }
    // Another document was put in between: judged again, this one meets what that one made.
    return readAndWrite(db, reading);
  }
}

async function readAndWrite(db: D1Database, reading: Reading): Promise<ChangeCounts> {
  const { tenants, municipalities } = reading;
  const state = await readConfiguration(db, {
    tenants: [
      ...tenants.map(({ code }) => code),
      ...municipalities.flatMap(({ given }) => (given.tenant === undefined ? [] : [given.tenant])),
    ],
    municipalities: municipalities.map(({ code }) => code),
  });
  const merge = mergeConfiguration(state, reading);
  if (!merge.valid) {
    throw invalidRequest(merge.issues);
  }
  await writeConfiguration(db, merge.changes);
  return countsOf(merge.changes);
}
