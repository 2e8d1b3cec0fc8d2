import { refuse } from '../../base/errors/refusal.ts';
import { lookbackOf } from '../../base/platform/retention-days.ts';
import { checkInstant } from '../../domain/check-instant.ts';
import type { AccessEvent } from '../../domain/facility-access.ts';
import type { Instant } from '../../domain/instant.ts';
import { normalizePlate } from '../../domain/plate.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import { succeed } from '../../serving/answer.ts';
import type { App, Call, JsonCall } from '../../serving/call.ts';
import { factsBesideGrant } from '../../serving/lookups/granted-municipality.ts';
import { serve } from '../../serving/serve.ts';
import { readPlateFacts, readSessionFacts } from '../entitlement/facts.ts';
import { type CheckedPlate, judgePlate } from '../entitlement/judge.ts';
import { presentSessions, presentVerdict } from '../entitlement/present.ts';
import {
  type PlateCheckResponse,
  type PlateCheckV1Request,
  type PlateCheckV1Response,
  plateCheck,
  plateCheckAlias,
  type plateCheckRequest,
  plateCheckV1,
  type plateCheckV1Request,
} from './contract.ts';

/** Mounts the plate check 2.0 under its two paths, and V1. */
export function plateCheckRoutes(app: App): void {
  serve(app, plateCheck, checkPlate);
  serve(app, plateCheckAlias, checkPlate);
  serve(app, plateCheckV1, checkPlateV1);
}

/** Answers a plate check 2.0. */
async function checkPlate(c: JsonCall<typeof plateCheckRequest>): Promise<Response> {
  const request = c.req.valid('json');
  const checked = await check(c, request, request.event, readPlateFacts);
  c.get('log').outcome = checked.access?.reasonCode ?? 'OK';
  return succeed(c, {
    api_version: '2.0',
    ...presentPlace(checked),
    ...presentVerdict(checked, c.get('language')),
  } satisfies PlateCheckResponse);
}

/** Answers a plate check V1: parking sessions only. */
async function checkPlateV1(c: JsonCall<typeof plateCheckV1Request>): Promise<Response> {
  const checked = await check(c, c.req.valid('json'), 'verify', readSessionFacts);
  const { verdict } = checked;
  return succeed(c, {
    api_version: '1.0',
    ...presentPlace(checked),
    has_valid_parking: verdict.hasValidParking,
    sessions_count: verdict.sessionsCount,
    valid_sessions_count: verdict.validSessionsCount,
    sessions: presentSessions(checked),
  } satisfies PlateCheckV1Response);
}

/**
 * Judges a plate by its facts, which are read while the admission is being decided. Errors of the fields come first, in the
 * order of the error table: those of the fields alone, then those that the credential's own limits make.
 *
 * @throws Refusal
 */
async function check(
  c: Call,
  request: PlateCheckV1Request,
  event: AccessEvent,
  readFacts: typeof readPlateFacts,
): Promise<CheckedPlate> {
  const plate = normalizePlate(request.plate) ?? refuse('INVALID_PLATE');
  const at = instantOf(c, request, null);
  const areaCode = request.area_code ?? null;
  const query = { plate, at, areaCode };
  const facts = factsBesideGrant(c, request.municipality_code, (code) => readFacts(c.env.DB, code, query));

  const grant = await c.get('admission').granted;
  instantOf(c, request, grant.historicalDaysAllowed);
  if (areaCode === null && (event !== 'verify' || grant.areas !== null)) refuse('AREA_CODE_REQUIRED');
  const municipality = await facts.within(grant);
  c.get('log').plate = plate;

  const judged = judgePlate(municipality, query, event, grant);
  return 'refused' in judged ? refuse(judged.refused) : judged.checked;
}

/**
 * The instant to verify.
 *
 * @param historicalDaysAllowed what the credential allows; null for no limit
 * @throws Refusal `CHECKED_AT_IN_FUTURE`, `CHECKED_AT_OUT_OF_RANGE`
 */
function instantOf(
  c: Call,
  { checked_at }: PlateCheckV1Request,
  historicalDaysAllowed: number | null,
): Instant {
  const checked = checkInstant(checked_at ?? null, c.get('now'), lookbackOf(c.env, historicalDaysAllowed));
  return 'refused' in checked ? refuse(checked.refused) : checked.at;
}

/** What was checked: the plate, when, and where. Instants are in the municipality's time zone. */
function presentPlace({ plate, at, municipality }: CheckedPlate) {
  const { code, name, timeZone, area } = municipality;
  return {
    plate,
    timezone: timeZone,
    checked_at: formatInstant(at, timeZone),
    municipality: { code, name },
    ...(area && { area: { code: area.code, name: area.name } }),
  };
}
