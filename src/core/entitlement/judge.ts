import type { ErrorCode } from '../../base/errors/error-codes.ts';
import { sourceOfMost, UnreadError } from '../../base/errors/unread.ts';
import { type EntitlementVerdict, judgeEntitlement } from '../../domain/entitlement.ts';
import {
  type AccessDecision,
  type AccessEvent,
  decideFacilityAccess,
  type Facility,
} from '../../domain/facility-access.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Plate } from '../../domain/plate.ts';
import { mayName } from '../../serving/access/grant.ts';
import type { Area, CheckedMunicipality, FactsQuery } from './facts.ts';

/** V1 knows sessions alone. */
export type CheckVersion = 'v1' | 'v2';

/** A plate, judged at an instant in a municipality or area. */
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

/** How a check of these facts ends. */
export type Judgement = { readonly checked: CheckedPlate } | { readonly refused: ErrorCode };

/** A caller that may ask about every area. */
const EVERYWHERE: AllowedAreas = { areas: null };

/** The areas that a caller may ask about: {@link mayName}. */
type AllowedAreas = Parameters<typeof mayName>[0];

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
  version: CheckVersion,
  allowed = EVERYWHERE,
): Judgement {
  const { area, sessions, subscriptions } = municipality;
  const refused = municipality.plateCheckEnabled
    ? areaRefusal(area, areaCode, event, allowed)
    : 'SERVICE_DISABLED';
  if (refused !== null) {
    return { refused };
  }
  if (municipality.unread.length > 0) {
    throw new UnreadError(municipality.code, municipality.unread, sourceOfMost(sessions));
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

/** Why a check in this area is refused, if it is. The area is null if its code is unknown or none was asked for. */
export function areaRefusal(
  area: Area | null,
  areaCode: string | null,
  event: AccessEvent,
  allowed = EVERYWHERE,
): ErrorCode | null {
  if (areaCode !== null && !mayName(allowed, areaCode)) {
    // Before anything that says whether there is such an area.
    return 'AREA_FORBIDDEN';
  }
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
