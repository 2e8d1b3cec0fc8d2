import type { Credential } from '../access/credential-record.ts';
import { ONCE_MORE, retried } from '../db/retried.ts';
import { checkInstant } from '../domain/check-instant.ts';
import { type EntitlementVerdict, judgeEntitlement } from '../domain/entitlement.ts';
import {
  type AccessDecision,
  type AccessEvent,
  decideFacilityAccess,
  type Facility,
} from '../domain/facility-access.ts';
import type { Instant } from '../domain/instant.ts';
import { normalizePlate, type Plate } from '../domain/plate.ts';
import type { Env } from '../env.ts';
import type { Deadline } from '../http/deadline.ts';
import type { ErrorCode } from '../http/error-codes.ts';
import { Refusal } from '../http/refusal.ts';
import { chosenMunicipality, municipalitiesAsked } from '../municipality/choice.ts';
import { retentionDays } from '../retention/retention-days.ts';
import { type Area, type FactsQuery, type Municipality, type PlateFacts, readPlateFacts } from './facts.ts';
import type { PlateCheckRequest } from './request.ts';

/** The instants and bindings of a call. */
export interface CheckContext {
  readonly env: Env;
  readonly now: Instant;
  readonly deadline: Deadline;
  readonly credential: Credential;
  /** Told the municipality's code as soon as it is chosen, also where the call is refused for another reason. */
  readonly onMunicipality: (code: string) => void;
  /** V1 knows sessions alone. */
  readonly version: 'v1' | 'v2';
}

/** A plate, judged at an instant in a place. */
export interface CheckedPlate {
  readonly plate: Plate;
  readonly at: Instant;
  readonly municipality: Municipality;
  /** The area asked for, if one was. */
  readonly area: Area | null;
  readonly verdict: EntitlementVerdict;
  /** Null unless the area is a facility; V1 knows no gates. */
  readonly access: FacilityAccess | null;
}

export interface FacilityAccess {
  readonly event: AccessEvent;
  readonly facility: Facility;
  readonly decision: AccessDecision;
}

/**
 * The plate check: reads what is known of the plate, and judges it.
 *
 * @throws Refusal of the plate, the instant, the municipality, the service or the area, in this order
 */
export async function checkPlate(request: PlateCheckRequest, context: CheckContext): Promise<CheckedPlate> {
  const query = queryOf(request, context);
  const judge = (facts: PlateFacts) => judgePlate(facts, query, request, context);
  const { env, deadline } = context;
  const mayReadReplica = env.READ_REPLICATION === 'on';

  const ask = (where: D1SessionConstraint) => readPlateFacts(env.DB.withSession(where), query);
  // What was lost on the way is asked once more, of the primary: it has the last word.
  const read = (where: D1SessionConstraint) =>
    deadline.race(retried((attempt) => ask(attempt === 1 ? where : 'first-primary'), ONCE_MORE));
  const facts = await read(mayReadReplica ? 'first-unconstrained' : 'first-primary');
  const finding = judge(facts);
  if (isPositive(finding, context) || facts.fromPrimary || !mayReadReplica) {
    return orThrow(finding);
  }
  // A replica may lag behind: no negative leaves before the primary has said the same.
  return orThrow(judge(await read('first-primary')));
}

/** What is wrong with the fields themselves comes before anything that is read, in the order of the error table. */
function queryOf(request: PlateCheckRequest, { env, now, credential, version }: CheckContext): FactsQuery {
  const plate = normalizePlate(request.plate);
  if (plate === null) {
    throw new Refusal('INVALID_PLATE');
  }
  const kept = retentionDays(env);
  const checked = checkInstant(request.checked_at ?? null, now, {
    historicalDaysAllowed: credential.historicalDaysAllowed,
    sessionRetentionDays: kept.sessions,
    subscriptionRetentionDays: kept.subscriptions,
  });
  if ('refused' in checked) {
    throw new Refusal(checked.refused);
  }
  const areaCode = request.area_code ?? null;
  if (areaCode === null && request.event !== 'verify') {
    throw new Refusal('AREA_CODE_REQUIRED');
  }
  return {
    tenantId: credential.tenantId,
    municipalities: municipalitiesAsked(request.municipality_code, credential),
    plate,
    areaCode,
    at: checked.at,
    withSubscriptions: version === 'v2',
  };
}

/** A finding is a value until it leaves: a refusal that was read from a replica may turn out to be none. */
type Finding = { readonly checked: CheckedPlate } | { readonly refused: ErrorCode };

function judgePlate(
  facts: PlateFacts,
  query: FactsQuery,
  request: PlateCheckRequest,
  { version, onMunicipality }: CheckContext,
): Finding {
  const choice = chosenMunicipality(facts);
  if ('refused' in choice) {
    return choice;
  }
  const municipality = choice.chosen;
  onMunicipality(municipality.code);
  const refused = municipality.plateCheckEnabled ? areaRefusal(facts, query, request) : 'SERVICE_DISABLED';
  if (refused !== null) {
    return { refused };
  }
  const { area, sessions, subscriptions } = facts;
  const { plate, at, areaCode } = query;
  const verdict = judgeEntitlement(
    {
      sessions,
      subscriptions,
      subscriptionsSupported: municipality.subscriptionsEnabled && version === 'v2',
      areaCode,
    },
    at,
  );
  const access =
    version === 'v2' && area?.facility
      ? accessTo(area.facility, request.event, sessions, verdict.hasValidSubscription, at)
      : null;
  return { checked: { plate, at, municipality, area, verdict, access } };
}

function areaRefusal(
  facts: PlateFacts,
  { areaCode }: FactsQuery,
  { event }: PlateCheckRequest,
): ErrorCode | null {
  const isActive = facts.area?.active === true;
  if (event !== 'verify') {
    return isActive && facts.area?.facility ? null : 'FACILITY_REQUIRED';
  }
  return areaCode === null || isActive ? null : 'AREA_NOT_FOUND';
}

function accessTo(
  facility: Facility,
  event: AccessEvent,
  sessions: PlateFacts['sessions'],
  holdsSubscription: boolean,
  at: Instant,
): FacilityAccess {
  return {
    event,
    facility,
    decision: decideFacilityAccess({ event, facility, sessions, holdsSubscription }, at),
  };
}

/** Whether a finding may leave on a replica's word: it says yes to all that it is asked. */
function isPositive(finding: Finding, { version }: CheckContext): boolean {
  if ('refused' in finding) {
    return false;
  }
  const { verdict, access } = finding.checked;
  const entitled = version === 'v1' ? verdict.hasValidParking : verdict.hasValidEntitlement;
  return entitled && access?.decision.granted !== false;
}

function orThrow(finding: Finding): CheckedPlate {
  if ('refused' in finding) {
    throw new Refusal(finding.refused);
  }
  return finding.checked;
}
