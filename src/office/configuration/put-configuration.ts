import { type CallSubject, causeOf, withSubject } from '../../base/errors/call-subject.ts';
import { refuseFields } from '../../base/errors/refusal.ts';
import { clockNow } from '../../base/platform/clock.ts';
import { renewSnapshots } from '../../core/snapshots/refresh.ts';
import type { BoundedCallContext } from '../../serving/pipeline/reading.ts';
import { type About, subjectOf, targetOfCodes } from '../administration/trail.ts';
import { type ChangeCounts, type Changes, countsOf } from './changes.ts';
import {
  isConflict,
  readConfiguration,
  readTenantsRecorded,
  readTotals,
  writeConfiguration,
} from './configuration-table.ts';
import { mergeConfiguration } from './merge.ts';
import type { Reading } from './reading.ts';
import { dailyIssues, switchedOn, switchIssues, totalIssues } from './room.ts';
import type { ConfigurationState } from './state.ts';

/**
 * The tenants and municipalities that a document is about: those that it names, and the tenants of its municipalities.
 *
 * @param state their stored configuration, once it has been read
 */
export function aboutOf({ tenants, municipalities }: Reading, state?: ConfigurationState): About {
  const ofMunicipalities = municipalities.map(
    ({ code, given }) => given.tenant ?? state?.municipalities.get(code)?.tenant,
  );
  const named = [
    ...tenants.map(({ code }) => code),
    ...ofMunicipalities.filter((code) => code !== undefined),
  ];
  return { tenants: [...new Set(named)], municipalities: municipalities.map(({ code }) => code) };
}

/** The `target` of a document: its municipalities, or its tenants if it names no municipality. */
export function targetOf({ tenants, municipalities }: About): string | null {
  return targetOfCodes(municipalities.length > 0 ? municipalities : tenants);
}

interface PutOutcome {
  readonly counts: ChangeCounts;
  readonly subject: CallSubject;
}

/**
 * Puts a document in one transaction, and renews the snapshots of changed municipalities.
 *
 * @throws Refusal `INVALID_REQUEST` with every issue
 */
export async function putConfiguration(context: BoundedCallContext, reading: Reading): Promise<PutOutcome> {
  try {
    return await readAndWrite(context, reading);
  } catch (error) {
    if (!isConflict(causeOf(error))) {
      throw error;
    }
    // Another document was put in between. Judges this one again by the new state.
    return readAndWrite(context, reading);
  }
}

async function readAndWrite(context: BoundedCallContext, reading: Reading): Promise<PutOutcome> {
  const { env, bounds, requestId } = context;
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
    const merge = mergeConfiguration(state, reading, bounds.mayChange);
    if (!merge.valid) {
      refuseFields(merge.issues);
    }
    const issues = dailyIssues(reading, merge.changes, state.municipalities);
    const on = switchedOn(merge.changes);
    if (on.length > 0) {
      issues.push(...switchIssues(reading, await readTenantsRecorded(env.DB, on)));
    }
    const creates = merge.changes.tenants.created.length + merge.changes.municipalities.created.length > 0;
    if (creates) {
      issues.push(...totalIssues(merge.changes, await readTotals(env.DB)));
    }
    if (issues.length > 0) {
      refuseFields(issues);
    }
    await writeConfiguration(env.DB, merge.changes, { requestId, storedAt: clockNow() });
    await renewChanged(context, reading, merge.changes);
    return { counts: countsOf(merge.changes), subject };
  });
}

/** Renews the snapshots unless the document changed nothing. */
async function renewChanged(
  context: BoundedCallContext,
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
