import type { Context } from 'hono';
import { refuse } from '../../base/errors/refusal.ts';
import { lookbackOf } from '../../base/platform/retention-days.ts';
import { checkInstant } from '../../domain/check-instant.ts';
import type { AccessEvent } from '../../domain/facility-access.ts';
import type { Instant } from '../../domain/instant.ts';
import { normalizePlate } from '../../domain/plate.ts';
import { succeed } from '../../serving/answer.ts';
import type { AppEnv, JsonCall } from '../../serving/call.ts';
import { factsBesideGrant } from '../../serving/lookups/granted-municipality.ts';
import { readPlateFacts, readSessionFacts } from '../entitlement/facts.ts';
import { type CheckedPlate, type CheckVersion, judgePlate } from '../entitlement/judge.ts';
import type { PlateCheckV1Request, plateCheckRequest, plateCheckV1Request } from './contract.ts';
import { presentPlateCheck, presentPlateCheckV1 } from './present.ts';

/** Answers a plate check 2.0. */
export async function checkPlate(c: JsonCall<typeof plateCheckRequest>): Promise<Response> {
  const request = c.req.valid('json');
  const checked = await check(c, request, request.event, 'v2');
  return succeed(c, presentPlateCheck(checked, c.get('language')));
}

/** Answers a plate check V1: parking sessions only. */
export async function checkPlateV1(c: JsonCall<typeof plateCheckV1Request>): Promise<Response> {
  const checked = await check(c, c.req.valid('json'), 'verify', 'v1');
  return succeed(c, presentPlateCheckV1(checked));
}

/**
 * Judges a plate by its facts, which are read while the admission is being decided. Errors of the fields come first, in the
 * order of the error table: those of the fields alone, then those that the credential's own limits make.
 *
 * @throws Refusal
 */
async function check(
  c: Context<AppEnv>,
  request: PlateCheckV1Request,
  event: AccessEvent,
  version: CheckVersion,
): Promise<CheckedPlate> {
  const plate = normalizePlate(request.plate) ?? refuse('INVALID_PLATE');
  const at = instantOf(c, request, null);
  const areaCode = request.area_code ?? null;
  const query = { plate, at, areaCode };
  const readFacts = version === 'v2' ? readPlateFacts : readSessionFacts;
  const facts = factsBesideGrant(c, request.municipality_code, (code) => readFacts(c.env.DB, code, query));

  const grant = await c.get('admission').granted;
  instantOf(c, request, grant.historicalDaysAllowed);
  if (areaCode === null && (event !== 'verify' || grant.areas !== null)) refuse('AREA_CODE_REQUIRED');
  const municipality = await facts.within(grant);
  c.get('log').plate = plate;

  const judged = judgePlate(municipality, query, event, version, grant);
  if ('refused' in judged) refuse(judged.refused);
  c.get('log').outcome = judged.checked.access?.decision.reasonCode ?? 'OK';
  return judged.checked;
}

/**
 * The instant to verify.
 *
 * @param historicalDaysAllowed what the credential allows; null for no limit
 * @throws Refusal `CHECKED_AT_IN_FUTURE`, `CHECKED_AT_OUT_OF_RANGE`
 */
function instantOf(
  c: Context<AppEnv>,
  { checked_at }: PlateCheckV1Request,
  historicalDaysAllowed: number | null,
): Instant {
  const checked = checkInstant(checked_at ?? null, c.get('now'), lookbackOf(c.env, historicalDaysAllowed));
  return 'refused' in checked ? refuse(checked.refused) : checked.at;
}
