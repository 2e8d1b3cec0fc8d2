import type { Language } from '../../base/text/text.ts';
import { QUERY_BODY } from '../../serving/http/body.ts';
import type { CredentialAccess } from '../../serving/pipeline/access.ts';
import { operation } from '../../serving/pipeline/operation.ts';
import type { CheckedPlate } from '../entitlement/judge.ts';
import { presentPlace, presentSessions, presentVerdict } from '../entitlement/present.ts';
import { checkPlate, plateReading } from './check.ts';
import {
  type PlateCheckResponse,
  type PlateCheckV1Response,
  plateCheckRequest,
  plateCheckResponse,
  plateCheckV1Request,
  plateCheckV1Response,
} from './contract.ts';

/** The answer of the plate check 2.0, instants in the municipality's time zone. */
function presentPlateCheck(checked: CheckedPlate, language: Language): PlateCheckResponse {
  return { api_version: '2.0', ...presentPlace(checked), ...presentVerdict(checked, language) };
}

/** The answer of V1: parking sessions only. */
function presentPlateCheckV1(checked: CheckedPlate): PlateCheckV1Response {
  const { verdict } = checked;
  return {
    api_version: '1.0',
    ...presentPlace(checked),
    has_valid_parking: verdict.hasValidParking,
    sessions_count: verdict.sessionsCount,
    valid_sessions_count: verdict.validSessionsCount,
    sessions: presentSessions(checked),
  };
}

const access = {
  by: 'credential',
  scope: 'plate_check',
  budget: 'calls',
  tokenHeaders: 'all',
  // A failure of ours must not stop a gate.
  whenObjectIsAway: 'admit_from_database',
} as const satisfies CredentialAccess;

const common = {
  method: 'POST',
  access,
  // A driver waits: after this, a clear failure is better than an answer.
  deadlineMs: 2_000,
  takesOfficer: true,
} as const;

/** The plate check 2.0. */
export const plateCheck = operation({
  ...common,
  id: 'checkPlate',
  path: '/api/v2/parking-entitlements/search',
  body: { kind: 'json', schema: plateCheckRequest, maxBytes: QUERY_BODY },
  reads: plateReading('v2'),
  answer: plateCheckResponse,
  errors: [
    'SERVICE_DISABLED',
    'AREA_FORBIDDEN',
    'AREA_NOT_FOUND',
    'INVALID_PLATE',
    'CHECKED_AT_IN_FUTURE',
    'CHECKED_AT_OUT_OF_RANGE',
    'AREA_CODE_REQUIRED',
    'FACILITY_REQUIRED',
  ],
  log: { operation: 'plate_check' },
  handle: async ({ body: { event } }, context) =>
    checkPlate(context, event, 'v2', (checked) => presentPlateCheck(checked, context.language)),
});

/** The same under its earlier path. */
export const plateCheckAlias = {
  ...plateCheck,
  id: 'checkPlateAlias',
  path: '/api/v2/parking/check-plate',
};

/** The plate check V1: only sessions. */
export const plateCheckV1 = operation({
  ...common,
  id: 'checkPlateV1',
  path: '/api/v1/parking/check-plate',
  body: { kind: 'json', schema: plateCheckV1Request, maxBytes: QUERY_BODY },
  reads: plateReading('v1'),
  answer: plateCheckV1Response,
  errors: [
    'SERVICE_DISABLED',
    'AREA_FORBIDDEN',
    'AREA_NOT_FOUND',
    'INVALID_PLATE',
    'CHECKED_AT_IN_FUTURE',
    'CHECKED_AT_OUT_OF_RANGE',
    'AREA_CODE_REQUIRED',
  ],
  log: { operation: 'plate_check_v1' },
  handle: async (_, context) => checkPlate(context, 'verify', 'v1', presentPlateCheckV1),
});
