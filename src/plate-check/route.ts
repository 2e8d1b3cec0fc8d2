import { Hono } from 'hono';
import { whenAdmitted } from '../access/admission.ts';
import { type AccessPolicy, authenticate } from '../access/authenticate.ts';
import type { IsolateMemory } from '../access/isolate-memory.ts';
import { jsonBody } from '../http/body.ts';
import type { AppContext, AppEnv } from '../http/context.ts';
import { answer } from '../http/envelope.ts';
import { methodNotAllowed, operation } from '../http/operation.ts';
import { validated } from '../http/validation.ts';
import { type CheckedPlate, checkPlate } from './check.ts';
import { presentPlateCheck, presentPlateCheckV1 } from './present.ts';
import { type PlateCheckRequest, plateCheckRequest, plateCheckV1Request } from './request.ts';

/** A driver waits: past this, a failure that says so is better than an answer. */
const DEADLINE_MS = 2_000;

const ACCESS: AccessPolicy = {
  scope: 'plate_check',
  budget: 'calls',
  tokenHeaders: 'all',
  // A failure of ours must not stop a gate.
  fallsBack: true,
};

/** The plate check: 2.0 at its path and its alias, and V1. */
export function plateCheckRoutes(memory: IsolateMemory): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();

  for (const path of ['/api/v2/parking-entitlements/search', '/api/v2/parking/check-plate']) {
    routes
      .post(
        path,
        operation('plate_check', DEADLINE_MS),
        authenticate(memory, ACCESS),
        jsonBody(),
        validated('json', plateCheckRequest),
        async (c) => {
          const checked = await check(c, c.req.valid('json'), 'v2');
          return answer(c, presentPlateCheck(checked, c.get('language')));
        },
      )
      .all(methodNotAllowed('POST'));
  }

  routes
    .post(
      '/api/v1/parking/check-plate',
      operation('plate_check_v1', DEADLINE_MS),
      authenticate(memory, ACCESS),
      jsonBody(),
      validated('json', plateCheckV1Request),
      async (c) => {
        const checked = await check(c, { ...c.req.valid('json'), event: 'verify' }, 'v1');
        return answer(c, presentPlateCheckV1(checked));
      },
    )
    .all(methodNotAllowed('POST'));

  return routes;
}

async function check(c: AppContext, request: PlateCheckRequest, version: 'v1' | 'v2'): Promise<CheckedPlate> {
  const { env } = c;
  const call = c.get('call');
  const checked = await whenAdmitted(c.get('admission'), (credential) => {
    call.municipalityCode = null;
    return checkPlate(request, {
      env,
      now: c.get('now'),
      deadline: c.get('deadline'),
      credential,
      version,
      onMunicipality: (code) => {
        call.municipalityCode = code;
      },
    });
  });
  call.outcome = checked.access?.decision.reasonCode ?? 'OK';
  return checked;
}
