import { Hono } from 'hono';
import { whenAdmitted } from '../access/admission.ts';
import { type AccessPolicy, authenticate } from '../access/authenticate.ts';
import type { IsolateMemory } from '../access/isolate-memory.ts';
import { jsonBody } from '../http/body.ts';
import type { AppContext, AppEnv } from '../http/context.ts';
import { answerText } from '../http/envelope.ts';
import { methodNotAllowed, operation } from '../http/operation.ts';
import { validated } from '../http/validation.ts';
import { SnapshotsOnTheSpot } from '../snapshots/on-the-spot.ts';
import { anyPage, reportMarkers } from './headers.ts';
import { type Report, reportActiveByArea } from './report.ts';
import { reportText } from './report-text.ts';
import { type ReportRequest, reportRequest } from './request.ts';

const PATH = '/api/v2/parking/reports/active-by-area';
/** A page shows it: past this, a failure that says so is better than an answer. */
const DEADLINE_MS = 5_000;

const ACCESS: AccessPolicy = {
  scope: 'report',
  budget: 'calls',
  tokenHeaders: 'all',
  // A page can ask again.
  fallsBack: false,
};

/** The report of active vehicles by area. */
export function activeByAreaRoutes(memory: IsolateMemory): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  const onTheSpot = new SnapshotsOnTheSpot();

  routes.use(PATH, reportMarkers, anyPage);
  routes
    .post(
      PATH,
      operation('active_by_area', DEADLINE_MS),
      authenticate(memory, ACCESS),
      jsonBody(),
      validated('json', reportRequest),
      async (c) => answerText(c, reportText(await report(c, c.req.valid('json'), onTheSpot))),
    )
    .all(methodNotAllowed('POST'));

  return routes;
}

function report(c: AppContext, request: ReportRequest, onTheSpot: SnapshotsOnTheSpot): Promise<Report> {
  const { env, var: vars, executionCtx: execution } = c;
  return whenAdmitted(vars.admission, (credential) => {
    vars.call.municipalityCode = null;
    return reportActiveByArea(request, {
      env,
      now: vars.now,
      deadline: vars.deadline,
      credential,
      execution,
      onTheSpot,
      onMunicipality: (code) => {
        vars.call.municipalityCode = code;
      },
    });
  });
}
