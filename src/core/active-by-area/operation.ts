import { sourceFreshness } from '../../domain/source-freshness.ts';
import { QUERY_BODY } from '../../serving/http/body.ts';
import { JsonText, operation } from '../../serving/pipeline/operation.ts';
import type { Snapshot } from '../snapshots/snapshot.ts';
import { reportRequest, reportResponse } from './contract.ts';
import { presentReport } from './present.ts';
import { type Report, reportActiveByArea, snapshotReading } from './report.ts';

/** The texts made from a snapshot, which stays the same object for a minute, by what else they depend on. */
const textsBySnapshot = new WeakMap<Snapshot, Map<string, string>>();
/** In characters. The report of a city with some hundred areas is shorter; a longer one is made for each call. */
const MAX_KEPT_LENGTH = 200_000;

/**
 * The answer of the report as JSON. Many widgets ask for the same city in a minute, so a report without a selected source
 * is written once per snapshot.
 */
function reportText(report: Report): string {
  if (report.selectedSource !== null) {
    return makeText(report);
  }
  const texts = textsBySnapshot.getOrInsertComputed(report.snapshot, () => new Map<string, string>());
  const key = keyOf(report);
  const kept = texts.get(key);
  if (kept !== undefined) {
    return kept;
  }
  const text = makeText(report);
  if (text.length <= MAX_KEPT_LENGTH) {
    texts.set(key, text);
  }
  return text;
}

const makeText = (report: Report): string => JSON.stringify(presentReport(report));

/** Apart from the snapshot, the text depends only on the area type and the freshness of the sources. */
function keyOf({ areaType, snapshot: { sources }, now }: Report): string {
  return [areaType, ...sources.map((source) => sourceFreshness(source, now))].join();
}

/** The report of active vehicles by area. */
export const activeByArea = operation({
  id: 'reportActiveByArea',
  method: 'POST',
  path: '/api/v2/parking/reports/active-by-area',
  access: {
    by: 'credential',
    scope: 'report',
    budget: 'calls',
    tokenHeaders: 'all',
    // A page can ask again.
    whenObjectIsAway: 'fail',
  },
  // A page shows it: after this, a clear failure is better than an answer.
  deadlineMs: 5_000,
  body: { kind: 'json', schema: reportRequest, maxBytes: QUERY_BODY },
  reads: snapshotReading,
  answer: reportResponse,
  errors: ['SERVICE_DISABLED', 'SOURCE_NOT_FOUND', 'NO_ACTIVE_FACILITIES'],
  headers: { 'X-Service-Report': 'active_by_area', 'X-Service-Report-Version': '1.0' },
  crossOrigin: {
    exposeHeaders: [
      'X-Request-Id',
      'Retry-After',
      'RateLimit',
      'RateLimit-Policy',
      'X-Service-Report',
      'X-Service-Report-Version',
    ],
  },
  log: { operation: 'active_by_area' },
  handle: async ({ body }, context) => {
    const report = await reportActiveByArea(body, context);
    return { answer: new JsonText(reportText(report)), municipality: report.snapshot.municipality.code };
  },
});
