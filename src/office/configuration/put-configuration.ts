import { refuseFields } from '../../base/errors/refusal.ts';
import { clockNow } from '../../base/platform/clock.ts';
import { renewSnapshots } from '../../core/snapshots/refresh.ts';
import type { Call } from '../../serving/call.ts';
import { type About, noteAbout, targetOfCodes } from '../administration/trail.ts';
import { type ChangeCounts, type Changes, countsOf, type ShownChange } from './changes.ts';
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

/** What a document has changed, or would change. */
interface Outcome extends ChangeCounts {
  readonly changes: readonly ShownChange[];
}

/**
 * Puts a document in one transaction, and renews the snapshots of changed municipalities. A dry run judges it all the same,
 * and stores nothing.
 *
 * @throws Refusal `INVALID_REQUEST` with every issue
 */
export async function putConfiguration(c: Call, reading: Reading, isDry: boolean): Promise<Outcome> {
  try {
    return await readAndWrite(c, reading, isDry);
  } catch (error) {
    if (!isConflict(error)) throw error;
    // Another document was put in between. Judges this one again by the new state.
    return readAndWrite(c, reading, isDry);
  }
}

async function readAndWrite(c: Call, reading: Reading, isDry: boolean): Promise<Outcome> {
  const { env } = c;
  const { tenants, municipalities } = reading;
  const state = await readConfiguration(env.DB, {
    tenants: [
      ...tenants.map(({ code }) => code),
      ...municipalities.flatMap(({ given }) => (given.tenant === undefined ? [] : [given.tenant])),
    ],
    municipalities: municipalities.map(({ code }) => code),
  });
  noteAbout(c.var.log, aboutOf(reading, state));
  const { mayChange } = await c.var.bounds;
  const merge = mergeConfiguration(state, reading, mayChange);
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
  if (!isDry) {
    await writeConfiguration(env.DB, merge.changes, { requestId: c.var.requestId, storedAt: clockNow() });
    await renewChanged(c, reading, merge.changes);
  }
  return { ...countsOf(merge.changes), changes: merge.shown };
}

/** Renews the snapshots unless the document changed nothing. */
async function renewChanged(c: Call, { municipalities }: Reading, changes: Changes): Promise<void> {
  const { created, updated } = countsOf(changes);
  if (created + updated > 0) {
    const changed = {
      municipalities: municipalities.map(({ code }) => code),
      tenants: changes.tenants.updated.map(({ code }) => String(code)),
    };
    const { executionCtx } = c;
    await renewSnapshots(c.env, changed, {
      now: c.var.now,
      waitUntil: (work) => executionCtx.waitUntil(work),
    });
  }
}
