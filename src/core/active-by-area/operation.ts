import { QUERY_BODY } from '../../serving/http/body.ts';
import { JsonText, operation } from '../../serving/pipeline/operation.ts';
import { reportRequest, reportResponse } from './contract.ts';
import { reportActiveByArea, snapshotReading } from './report.ts';
import { reportText } from './report-text.ts';

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
