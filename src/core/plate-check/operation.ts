import { Refusal, refuse } from '../../base/errors/refusal.ts';
import { lookbackOf } from '../../base/platform/retention-days.ts';
import type { Language } from '../../base/text/text.ts';
import { checkInstant } from '../../domain/check-instant.ts';
import type { AccessEvent } from '../../domain/facility-access.ts';
import type { Instant } from '../../domain/instant.ts';
import { normalizePlate } from '../../domain/plate.ts';
import type { Grant } from '../../serving/access/grant.ts';
import { QUERY_BODY } from '../../serving/http/body.ts';
import {
  type Answered,
  type CredentialAccess,
  operation,
  type Refused,
  type ValidRequest,
} from '../../serving/pipeline/operation.ts';
import type {
  CallContext,
  MunicipalityCallContext,
  MunicipalityReading,
} from '../../serving/pipeline/reading.ts';
import { type CheckedMunicipality, type FactsQuery, readPlateFacts } from '../entitlement/facts.ts';
import { type CheckedPlate, type CheckVersion, judgePlate } from '../entitlement/judge.ts';
import { presentPlace, presentSessions, presentVerdict } from '../entitlement/present.ts';
import {
  type PlateCheckRequest,
  type PlateCheckResponse,
  type PlateCheckV1Request,
  type PlateCheckV1Response,
  plateCheckRequest,
  plateCheckResponse,
  plateCheckV1Request,
  plateCheckV1Response,
} from './contract.ts';

type CheckRequest = PlateCheckV1Request & Partial<PlateCheckRequest>;

const plateReading = (
  version: CheckVersion,
): MunicipalityReading<ValidRequest<CheckRequest>, FactsQuery, CheckedMunicipality> => ({
  kind: 'municipality',
  early: true,
  retried: true,
  code: ({ body }) => body.municipality_code,
  query: ({ body }, context) => queryOf(body, version, context),
  judgeByGrant: ({ body }, grant, context) => requireAllowed(body, grant, context),
  read: readPlateFacts,
});

/**
 * Judges a plate by what was read about it.
 *
 * @param present makes the answer
 */
function checkPlate<Answer extends object>(
  { municipality, query, grant }: MunicipalityCallContext<FactsQuery, CheckedMunicipality>,
  event: AccessEvent,
  version: CheckVersion,
  present: (checked: CheckedPlate) => Answer,
): Answered<Answer> | Refused {
  const { plate } = query;
  const judged = judgePlate(municipality, query, event, version, grant);
  if ('refused' in judged) {
    return { refused: new Refusal(judged.refused), plate };
  }
  const { checked } = judged;
  return {
    answer: present(checked),
    outcome: checked.access?.decision.reasonCode ?? 'OK',
    plate,
  };
}

/** Errors of the fields themselves come before anything that is read, in the order of the error table. */
function queryOf(request: CheckRequest, version: CheckVersion, context: CallContext): FactsQuery {
  const plate = normalizePlate(request.plate);
  if (plate === null) {
    refuse('INVALID_PLATE');
  }
  const at = instantOf(request, null, context);
  return { plate, areaCode: request.area_code ?? null, at, withSubscriptions: version === 'v2' };
}

/** Checks the credential's own limits, in the order of the error table. */
function requireAllowed(
  request: CheckRequest,
  { historicalDaysAllowed, areas }: Grant,
  context: CallContext,
): void {
  instantOf(request, historicalDaysAllowed, context);
  const needsArea = (request.event ?? 'verify') !== 'verify' || areas !== null;
  if (request.area_code === undefined && needsArea) {
    refuse('AREA_CODE_REQUIRED');
  }
}

/**
 * The instant to verify.
 *
 * @param historicalDaysAllowed what the credential allows; null for no limit
 */
function instantOf(
  { checked_at }: CheckRequest,
  historicalDaysAllowed: number | null,
  { env, now }: CallContext,
): Instant {
  const checked = checkInstant(checked_at ?? null, now, lookbackOf(env, historicalDaysAllowed));
  if ('refused' in checked) {
    refuse(checked.refused);
  }
  return checked.at;
}

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
