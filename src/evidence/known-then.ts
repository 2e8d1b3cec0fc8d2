import type { Instant } from '../domain/instant.ts';
import type { ParkingSession } from '../domain/parking-session.ts';
import type { Plate } from '../domain/plate.ts';
import type { Subscription } from '../domain/subscription.ts';
import type { Area, CheckedMunicipality, FactsQuery } from '../entitlement/facts.ts';
import { sessionTimes, subscriptionOf } from '../history/entitlements.ts';
import {
  type Change,
  type RecordedSession,
  type SessionChange,
  type SubscriptionChange,
  subjectOf,
} from '../history/recorded.ts';
import type { MunicipalityFinding } from '../lookups/municipality-choice.ts';
import type { RecordedArea, RecordedConfiguration } from './recorded-configuration.ts';

/**
 * What the database held of a plate at an instant, as a plate check would have read it then: the last change of each
 * session and subscription that was recorded by then, and the configuration of then.
 *
 * @param changes all that is recorded of the plate, in the order of the journal
 * @param configuration the last one that was recorded by then
 */
export function factsKnownAt(
  knownAt: Instant,
  changes: readonly Change[],
  configuration: RecordedConfiguration,
  tenantId: number,
  { plate, areaCode }: Pick<FactsQuery, 'plate' | 'areaCode'>,
): MunicipalityFinding<CheckedMunicipality> {
  const { code, name, timezone, active, services } = configuration;
  const standing = changesStandingAt(knownAt, changes);
  const sessions = standing
    .filter((change) => change.kind === 'parking_session')
    .flatMap((change) => sessionOf(change, plate, configuration))
    .filter(({ area }) => areaCode === null || area.code === areaCode);
  return {
    tenantActive: configuration.tenant_active,
    municipalities: [
      {
        code,
        tenantId,
        active,
        movedTo: null,
        isArriving: false,
        stay: 0,
        name,
        timeZone: timezone,
        plateCheckEnabled: services.plate_check,
        subscriptionsEnabled: services.subscriptions,
        area: areaOf(configuration.areas.find((area) => area.code === areaCode)),
        unread: [],
        sessions,
        subscriptions: standing
          .filter((change) => change.kind === 'subscription')
          .flatMap((change) => subscriptionsOf(change, plate)),
      },
    ],
  };
}

/** The last change of each session and subscription that was recorded by an instant. */
function changesStandingAt(knownAt: Instant, changes: readonly Change[]): Change[] {
  const known = changes.filter(({ recordedAt }) => recordedAt <= knownAt);
  return [...new Map(known.map((change) => [subjectOf(change), change])).values()];
}

function sessionOf(
  { record, sourceCode }: SessionChange,
  plate: Plate,
  { areas, sources }: RecordedConfiguration,
): ParkingSession[] {
  if (record === null) {
    return [];
  }
  const area = areas.find(({ code }) => code === record.area_code);
  const source = sources.find(({ code }) => code === sourceCode);
  if (area === undefined || source === undefined) {
    throw new Error(
      `the journal has a session of ${sourceCode} in ${record.area_code}, and no such configuration`,
    );
  }
  return [parkingSession(record, plate, sourceCode, area, source.open_session_max_hours)];
}

const parkingSession = (
  record: RecordedSession,
  plate: Plate,
  sourceCode: string,
  { code, name }: RecordedArea,
  openSessionMaxHours: number,
): ParkingSession => ({
  sessionId: record.session_id,
  plate,
  area: { code, name },
  sourceCode,
  ...sessionTimes(record),
  openSessionMaxHours,
});

const subscriptionsOf = ({ record }: SubscriptionChange, plate: Plate): Subscription[] =>
  record === null ? [] : [subscriptionOf(record, plate)];

function areaOf(area: RecordedArea | undefined): Area | null {
  if (area === undefined) {
    return null;
  }
  const { code, name, active, facility } = area;
  return {
    code,
    name,
    active,
    facility:
      area.area_type === 'facility' && facility !== undefined
        ? {
            serviceEnabled: facility.service_enabled,
            plateControlEnabled: facility.plate_control_enabled,
            subscriptionAccess: facility.subscription_access,
            entryGraceMinutes: facility.entry_grace_minutes,
            exitGraceMinutes: facility.exit_grace_minutes,
          }
        : null,
  };
}
