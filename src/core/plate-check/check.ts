import { Refusal, refuse } from '../../base/errors/refusal.ts';
import { lookbackOf } from '../../base/platform/retention-days.ts';
import { checkInstant } from '../../domain/check-instant.ts';
import type { AccessEvent } from '../../domain/facility-access.ts';
import type { Instant } from '../../domain/instant.ts';
import { normalizePlate } from '../../domain/plate.ts';
import type { Grant } from '../../serving/access/grant.ts';
import type { Answered, Refused, ValidRequest } from '../../serving/pipeline/operation.ts';
import type {
  CallContext,
  MunicipalityCallContext,
  MunicipalityReading,
} from '../../serving/pipeline/reading.ts';
import { type CheckedMunicipality, type FactsQuery, readPlateFacts } from '../entitlement/facts.ts';
import { type CheckedPlate, type CheckVersion, judgePlate } from '../entitlement/judge.ts';
import type { PlateCheckRequest, PlateCheckV1Request } from './contract.ts';

type CheckRequest = PlateCheckV1Request & Partial<PlateCheckRequest>;

/** What a plate check reads: a replica may confirm, and only the primary may deny. */
export const plateReading = (
  version: CheckVersion,
): MunicipalityReading<ValidRequest<CheckRequest>, FactsQuery, CheckedMunicipality> => ({
  kind: 'municipality',
  early: true,
  retried: true,
  replica: true,
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
export function checkPlate<Answer extends object>(
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
    isConfirmed: isPositive(checked, version),
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

/** Whether the plate is granted everything that was asked for. */
function isPositive({ verdict, access }: CheckedPlate, version: CheckVersion): boolean {
  const entitled = version === 'v1' ? verdict.hasValidParking : verdict.hasValidEntitlement;
  return entitled && access?.decision.granted !== false;
}
