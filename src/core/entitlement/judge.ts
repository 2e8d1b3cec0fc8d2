import type { ErrorCode } from '../../base/errors/error-codes.ts';
import { sourceOfMost, UnreadError } from '../../base/errors/unread.ts';
import { type EntitlementVerdict, judgeEntitlement } from '../../domain/entitlement.ts';
import { type AccessDecision, type AccessEvent, decideFacilityAccess } from '../../domain/facility-access.ts';
import { type Grant, mayName } from '../../serving/access/grant.ts';
import type { Area, CheckedMunicipality, FactsQuery } from './facts.ts';

/** A plate, judged at an instant in a municipality, or in the area that was asked for. */
export interface CheckedPlate extends Pick<FactsQuery, 'plate' | 'at'> {
  readonly municipality: CheckedMunicipality;
  readonly event: AccessEvent;
  readonly verdict: EntitlementVerdict;
  /** Null unless the area is a facility. */
  readonly access: AccessDecision | null;
}

/** How a check of these facts ends. */
export type Judgement = { readonly checked: CheckedPlate } | { readonly refused: ErrorCode };

/** A caller that may ask about every area. */
const UNBOUND: Pick<Grant, 'areas'> = { areas: null };

/**
 * Judges a plate by its facts. The one implementation of a plate check: live checks and evidence of the past differ only in their
 * facts.
 *
 * @throws UnreadError for a plate with more rows than a call reads
 */
export function judgePlate(
  municipality: CheckedMunicipality,
  { plate, at, areaCode }: FactsQuery,
  event: AccessEvent,
  caller = UNBOUND,
): Judgement {
  const { area, sessions, unread } = municipality;
  const subscriptions = municipality.subscriptionsEnabled ? municipality.subscriptions : [];
  const refused = municipality.plateCheckEnabled
    ? areaRefusal(area, areaCode, event, caller)
    : 'SERVICE_DISABLED';
  if (refused !== null) return { refused };
  if (unread.length > 0) throw new UnreadError(municipality.code, unread, sourceOfMost(sessions));
  const verdict = judgeEntitlement({ sessions, subscriptions, areaCode }, at);
  const facility = area?.facility ?? null;
  const holdsSubscription = verdict.hasValidSubscription;
  const access = facility && decideFacilityAccess({ event, facility, sessions, holdsSubscription }, at);
  return { checked: { plate, at, municipality, event, verdict, access } };
}

/** Why a check in this area is refused, if it is. The area is null if its code is unknown or none was asked for. */
export function areaRefusal(
  area: Area | null,
  areaCode: string | null,
  event: AccessEvent,
  caller = UNBOUND,
): ErrorCode | null {
  // Before anything that says whether there is such an area.
  if (areaCode !== null && !mayName(caller, areaCode)) return 'AREA_FORBIDDEN';
  const isActive = area?.active === true;
  if (event !== 'verify') {
    return isActive && area.facility !== null ? null : 'FACILITY_REQUIRED';
  }
  return areaCode === null || isActive ? null : 'AREA_NOT_FOUND';
}
