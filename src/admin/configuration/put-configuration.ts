import type { Env } from '../../env.ts';
import { type CallSubject, causeOf, withSubject } from '../../errors/call-subject.ts';
import { invalidRequest } from '../../errors/refusal.ts';
import { discardSnapshots } from '../../snapshots/discard.ts';
import { subjectOf } from '../trail.ts';
import { aboutOf } from './about.ts';
import { type ChangeCounts, type Changes, countsOf } from './changes.ts';
import { isConflict, readConfiguration, writeConfiguration } from './configuration-table.ts';
import { mergeConfiguration } from './merge.ts';
import type { Reading } from './reading.ts';

/** What was put, and whom the document turned out to be about. */
export interface PutOutcome {
  readonly counts: ChangeCounts;
  readonly subject: CallSubject;
}

/**
 * Puts a document: all of it or nothing. The snapshots of the municipalities that it changes are discarded.
 *
 * @throws Refusal `INVALID_REQUEST` with everything that is wrong with it
 */
export async function putConfiguration(env: Env, reading: Reading): Promise<PutOutcome> {
  try {
    return await readAndWrite(env, reading);
  } catch (error) {
    if (!isConflict(causeOf(error))) {
      throw error;
    }
    // Another document was put in between: judged again, this one meets what that one made.
    return readAndWrite(env, reading);
  }
}

async function readAndWrite(env: Env, reading: Reading): Promise<PutOutcome> {
  const { tenants, municipalities } = reading;
  const state = await readConfiguration(env.DB, {
    tenants: [
      ...tenants.map(({ code }) => code),
      ...municipalities.flatMap(({ given }) => (given.tenant === undefined ? [] : [given.tenant])),
    ],
    municipalities: municipalities.map(({ code }) => code),
  });
  const subject = subjectOf(aboutOf(reading, state));
  return withSubject(subject, async () => {
    const merge = mergeConfiguration(state, reading);
    if (!merge.valid) {
      throw invalidRequest(merge.issues);
    }
    await writeConfiguration(env.DB, merge.changes);
    await discardChanged(env, reading, merge.changes);
    return { counts: countsOf(merge.changes), subject };
  });
}

/** A document that changes nothing leaves the reports' snapshots where they are. */
async function discardChanged(env: Env, { municipalities }: Reading, changes: Changes): Promise<void> {
  const { created, updated } = countsOf(changes);
  if (created + updated > 0) {
    await discardSnapshots(env, {
      municipalities: municipalities.map(({ code }) => code),
      tenants: changes.tenants.updated.map(({ code }) => String(code)),
    });
  }
}
