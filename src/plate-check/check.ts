import type { Grant } from '../access/grant.ts';
import { retried, TRIES_WHILE_WAITING } from '../db/retried.ts';
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
import type { ErrorCode } from '../errors/error-codes.ts';
import { Refusal } from '../errors/refusal.ts';
import { readBesideAdmission, readGranted } from '../lookups/located-municipality.ts';
import {
  chooseMunicipality,
  type MunicipalitySearch,
  settlesMunicipality,
} from '../lookups/municipality-choice.ts';
import type { CredentialCallContext } from '../pipeline/operation.ts';
import { retentionDays } from '../retention/retention-days.ts';
import {
  type Area,
  type CheckedMunicipality,
  type FactsQuery,
  type PlateFacts,
  readPlateFacts,
} from './facts.ts';
import type { PlateCheckRequest } from './request.ts';

/** V1 knows sessions alone. */
export type CheckVersion = 'v1' | 'v2';

/** A plate, judged at an instant in a place. */
export interface CheckedPlate {
  readonly plate: Plate;
  readonly at: Instant;
  readonly municipality: CheckedMunicipality;
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

/** A finding is a value until it leaves: a refusal that was read from a replica may turn out to be none. */
export type Finding =
  | { readonly checked: CheckedPlate }
  | { readonly refused: Refusal; readonly municipality?: string };

/**
 * The plate check: reads what is known of the plate beside the admission, and judges it by what the admission grants.
 *
 * @throws Refusal of the plate, the instant or the area's absence, before anything is read
 */
export async function checkPlate(
  request: PlateCheckRequest,
  version: CheckVersion,
  context: CredentialCallContext,
): Promise<Finding> {
  const { env, deadline, admission } = context;
  const code = request.municipality_code;
  const query = queryOf(request, version, context);
  const judge = (facts: PlateFacts) => judgePlate(facts, query, request, version);
  const mayReadReplica = env.READ_REPLICATION === 'on';

  const readFrom = (nearest: D1SessionConstraint) => (db: D1Database, search: MunicipalitySearch) => {
    const ask = (where: D1SessionConstraint) => readPlateFacts(db.withSession(where), search, query);
    // A read that was lost on the way is sent once more, to the primary: it has the last word.
    return deadline.race(
      retried((attempt) => ask(attempt === 1 ? nearest : 'first-primary'), TRIES_WHILE_WAITING),
    );
  };

  const reading = admission.beside(() =>
    readBesideAdmission(context, code, readFrom(mayReadReplica ? 'first-unconstrained' : 'first-primary')),
  );
  const grant = await admission.granted;
  requireWithinLookback(request, grant, context);
  if (grant.municipalities.length > 0) {
    const facts = await reading;
    if (settlesMunicipality(facts, grant)) {
      const finding = judge(facts);
      // A replica may lag behind: no negative leaves before the primary has said the same.
      if (isPositive(finding, version) || facts.fromPrimary || !mayReadReplica) {
        return finding;
      }
    }
  }
  const { found } = await readGranted(context, grant, code, readFrom('first-primary'));
  return judge(found);
}

/** What is wrong with the fields themselves comes before anything that is read, in the order of the error table. */
function queryOf(
  request: PlateCheckRequest,
  version: CheckVersion,
  context: CredentialCallContext,
): FactsQuery {
  const plate = normalizePlate(request.plate);
  if (plate === null) {
    throw new Refusal('INVALID_PLATE');
  }
  const at = instantOf(request, null, context);
  return { plate, areaCode: request.area_code ?? null, at, withSubscriptions: version === 'v2' };
}

/** What the credential itself bounds, and what is wrong behind that in the order of the error table. */
function requireWithinLookback(
  request: PlateCheckRequest,
  { historicalDaysAllowed }: Grant,
  context: CredentialCallContext,
): void {
  instantOf(request, historicalDaysAllowed, context);
  if (request.area_code === undefined && request.event !== 'verify') {
    throw new Refusal('AREA_CODE_REQUIRED');
  }
}

/**
 * The instant to verify.
 *
 * @param historicalDaysAllowed what the credential allows; null for no bound
 */
function instantOf(
  { checked_at }: PlateCheckRequest,
  historicalDaysAllowed: number | null,
  { env, now }: CredentialCallContext,
): Instant {
  const kept = retentionDays(env);
  const checked = checkInstant(checked_at ?? null, now, {
    historicalDaysAllowed,
    sessionRetentionDays: kept.sessions,
    subscriptionRetentionDays: kept.subscriptions,
  });
  if ('refused' in checked) {
    throw new Refusal(checked.refused);
  }
  return checked.at;
}

function judgePlate(
  facts: PlateFacts,
  { plate, at, areaCode }: FactsQuery,
  { event }: PlateCheckRequest,
  version: CheckVersion,
): Finding {
  const choice = chooseMunicipality(facts);
  if ('refused' in choice) {
    return { refused: new Refusal(choice.refused) };
  }
  const municipality = choice.chosen;
  const { area, sessions, subscriptions } = municipality;
  const refused = municipality.plateCheckEnabled ? areaRefusal(area, areaCode, event) : 'SERVICE_DISABLED';
  if (refused !== null) {
    return { refused: new Refusal(refused), municipality: municipality.code };
  }
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
      ? accessTo(area.facility, event, sessions, verdict.hasValidSubscription, at)
      : null;
  return { checked: { plate, at, municipality, area, verdict, access } };
}

function areaRefusal(area: Area | null, areaCode: string | null, event: AccessEvent): ErrorCode | null {
  const isActive = area?.active === true;
  if (event !== 'verify') {
    return isActive && area.facility !== null ? null : 'FACILITY_REQUIRED';
  }
  return areaCode === null || isActive ? null : 'AREA_NOT_FOUND';
}

function accessTo(
  facility: Facility,
  event: AccessEvent,
  sessions: CheckedMunicipality['sessions'],
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
function isPositive(finding: Finding, version: CheckVersion): boolean {
  if ('refused' in finding) {
    return false;
  }
  const { verdict, access } = finding.checked;
  const entitled = version === 'v1' ? verdict.hasValidParking : verdict.hasValidEntitlement;
  return entitled && access?.decision.granted !== false;
}
