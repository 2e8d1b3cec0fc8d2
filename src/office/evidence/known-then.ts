import type { Area, CheckedMunicipality, FactsQuery } from '../../core/entitlement/facts.ts';
import type { Instant } from '../../domain/instant.ts';
import { paymentKnownAt } from '../../domain/paid-period.ts';
import { isInSessionWindow, type ParkingSession, SESSION_WINDOW_MS } from '../../domain/parking-session.ts';
import type { Plate } from '../../domain/plate.ts';
import { unreadOf } from '../../domain/plate-bounds.ts';
import { isOnPlate, type Subscription } from '../../domain/subscription.ts';
import type { WholeMunicipality } from '../../storage/configuration/kinds.ts';
import { subscriptionOf } from '../../storage/db/titles.ts';
import { isKnownAt, sessionVersions, subscriptionVersions, type VersionRows } from '../history/versions.ts';
import type { EvidenceMunicipality } from './facts.ts';

/** What a plate check had read at an instant: the versions and the configuration that were the newest. */
export function knownThen(
  place: EvidenceMunicipality,
  rows: VersionRows,
  configuration: WholeMunicipality,
  { plate, areaCode, at }: FactsQuery,
  knownAt: Instant,
): CheckedMunicipality {
  const sessions = sessionsThen(rows, configuration, knownAt).filter((session) => mayTouch(session, at));
  const subscriptions = subscriptionsThen(rows, plate, knownAt);
  const held = subscriptions.filter((subscription) => isOnPlate({ subscription, at }));
  const area = configuration.areas.find(({ code }) => code === areaCode);
  return {
    ...{ code: place.code, name: configuration.name, timeZone: configuration.timezone },
    active: configuration.active,
    plateCheckEnabled: configuration.services.plate_check,
    subscriptionsEnabled: configuration.services.subscriptions,
    // No version has the tenant's switch.
    ...{ tenantCode: place.tenantCode, tenantActive: true },
    area: area === undefined ? null : areaThen(area),
    sessions: areaCode === null ? sessions : sessions.filter(({ area }) => area.code === areaCode),
    ...{ subscriptions, unread: unreadOf(sessions.length, held.length) },
  };
}

/** Whether the plate check reads it. The longest tolerance reaches a session that starts as the window ends. */
const mayTouch = (session: ParkingSession, at: Instant): boolean =>
  isInSessionWindow(session, at) || session.startsAt === at + SESSION_WINDOW_MS;

const areaThen = ({ code, name, active, area_type, facility }: WholeMunicipality['areas'][number]): Area => ({
  ...{ code, name, active },
  facility:
    area_type === 'street'
      ? null
      : {
          serviceEnabled: facility.service_enabled,
          plateControlEnabled: facility.plate_control_enabled,
          subscriptionAccess: facility.subscription_access,
          entryGraceMinutes: facility.entry_grace_minutes,
          exitGraceMinutes: facility.exit_grace_minutes,
        },
});

function sessionsThen(
  rows: VersionRows,
  { areas, sources }: WholeMunicipality,
  knownAt: Instant,
): CheckedMunicipality['sessions'] {
  const areasByCode = new Map(areas.map((area) => [area.code, areaThen(area)]));
  const longestRuns = new Map(sources.map((source) => [source.code, source.open_session_max_hours]));
  return sessionVersions(rows)
    .filter((version) => isKnownAt(version, knownAt))
    .map(({ areaCode, ...session }) => ({
      ...session,
      area: configured(areasByCode.get(areaCode), areaCode),
      openSessionMaxHours: configured(longestRuns.get(session.sourceCode), session.sourceCode),
    }));
}

/** An area and a source are configured before any session of theirs is stored. */
function configured<Value>(value: Value | undefined, code: string): Value {
  if (value === undefined) throw new Error(`a session has ${code}, which was not configured then`);
  return value;
}

function subscriptionsThen(rows: VersionRows, plate: Plate, knownAt: Instant): Subscription[] {
  const [, , , , payments] = rows;
  const known = payments.filter(({ recordedAt }) => recordedAt <= knownAt);
  const paidFor = Map.groupBy(known, ({ subscriptionId }) => subscriptionId);
  return subscriptionVersions(rows)
    .filter((version) => isKnownAt(version, knownAt))
    .map((title) => {
      const paid = (paidFor.get(title.id) ?? []).map((payment) => paymentKnownAt(payment, knownAt));
      return subscriptionOf({ ...title, plate, paid }, title.spans);
    });
}
