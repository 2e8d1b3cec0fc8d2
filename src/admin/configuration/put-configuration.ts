import { type CallSubject, causeOf, withSubject } from '../../errors/call-subject.ts';
import { invalidRequest } from '../../errors/refusal.ts';
import type { CallContext } from '../../pipeline/operation.ts';
import { clockNow } from '../../platform/clock.ts';
import { renewSnapshots } from '../../snapshots/renew.ts';
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
 * Puts a document: all of it or nothing. The snapshots of the municipalities that it changes are made anew.
 *
 * @throws Refusal `INVALID_REQUEST` with everything that is wrong with it
 */
export async function putConfiguration(context: CallContext, reading: Reading): Promise<PutOutcome> {
  try {
    return await readAndWrite(context, reading);
  } catch (error) {
    if (!isConflict(causeOf(error))) {
      throw error;
    }
    // Another document was put in between: judged again, this one meets what that one made.
    return readAndWrite(context, reading);
  }
}

async function readAndWrite(context: CallContext, reading: Reading): Promise<PutOutcome> {
  const { env } = context;
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
    await writeConfiguration(env.DB, merge.changes, { requestId: context.requestId, storedAt: clockNow() });
    await renewChanged(context, reading, merge.changes);
    return { counts: countsOf(merge.changes), subject };
  });
}

/** A document that changes nothing leaves the reports' snapshots where they are. */
async function renewChanged(
  context: CallContext,
  { municipalities }: Reading,
  changes: Changes,
): Promise<void> {
  const { created, updated } = countsOf(changes);
  if (created + updated > 0) {
    const changed = {
      municipalities: municipalities.map(({ code }) => code),
      tenants: changes.tenants.updated.map(({ code }) => String(code)),
    };
    await renewSnapshots(context.env, changed, context);
  }
}
