import type { Language } from '../../base/text/text.ts';
import type { ListedSession, ListedSubscription } from '../../domain/entitlement.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import type { AccessFields, VerdictFields } from './contract.ts';
import type { CheckedPlate, FacilityAccess } from './judge.ts';
import { ACCESS_REASON_TEXT, AREA_CODE_WARNING } from './texts.ts';

/**
 * The verdict of the plate check 2.0: its answer from `verification_scope` to the end, instants in the municipality's time zone.
 */
export function presentVerdict(checked: CheckedPlate, language: Language): VerdictFields {
  const { verdict, municipality, area, access } = checked;
  return {
    verification_scope: area ? 'area' : 'municipality',
    subscriptions_supported: municipality.subscriptionsEnabled,
    verification_complete: verdict.verificationComplete,
    requires_area_code: verdict.requiresAreaCode,
    has_valid_entitlement: verdict.hasValidEntitlement,
    has_valid_parking: verdict.hasValidParking,
    has_valid_subscription: verdict.hasValidSubscription,
    sessions_count: verdict.sessionsCount,
    valid_sessions_count: verdict.validSessionsCount,
    subscriptions_count: verdict.subscriptionsCount,
    valid_subscriptions_count: verdict.validSubscriptionsCount,
    results_count: verdict.resultsCount,
    entitlements_count: verdict.entitlementsCount,
    sessions: presentSessions(checked),
    subscriptions: verdict.subscriptions.map(presentSubscription),
    warnings: verdict.requiresAreaCode
      ? [{ code: 'AREA_CODE_REQUIRED', message: AREA_CODE_WARNING[language] }]
      : [],
    ...(access && area && presentAccess(access, area.code, language)),
  };
}

/** What was checked: the plate, when, and where. */
export function presentPlace({ plate, at, municipality, area }: CheckedPlate) {
  const { timeZone } = municipality;
  return {
    plate,
    timezone: timeZone,
    checked_at: formatInstant(at, timeZone),
    municipality: { code: municipality.code, name: municipality.name },
    ...(area && { area: { code: area.code, name: area.name } }),
  };
}

export function presentSessions({ verdict, municipality }: CheckedPlate): VerdictFields['sessions'] {
  return verdict.sessions.map((session) => presentSession(session, municipality.timeZone));
}

function presentSession(session: ListedSession, timeZone: string): VerdictFields['sessions'][number] {
  return {
    session_id: session.sessionId,
    plate: session.plate,
    area: { code: session.area.code, name: session.area.name },
    source_code: session.sourceCode,
    starts_at: formatInstant(session.startsAt, timeZone),
    ends_at: session.endsAt === null ? null : formatInstant(session.endsAt, timeZone),
    status: session.status,
    is_valid_at_check_time: session.isValidAtCheckTime,
  };
}

function presentSubscription(item: ListedSubscription): VerdictFields['subscriptions'][number] {
  return {
    subscription_number: item.subscriptionNumber,
    plate: item.plate,
    status: item.status,
    reason_code: item.reasonCode,
    is_valid_at_check_time: item.isValidAtCheckTime,
  };
}

function presentAccess(
  { event, facility, decision }: FacilityAccess,
  areaCode: string,
  language: Language,
): AccessFields {
  const { granted, reasonCode, matchedSource } = decision;
  return {
    access_event: event,
    access_granted: granted,
    access_reason_code: reasonCode,
    access_reason: ACCESS_REASON_TEXT[reasonCode][language],
    access_control: {
      event,
      area_code: areaCode,
      entry_grace_minutes: facility.entryGraceMinutes,
      exit_grace_minutes: facility.exitGraceMinutes,
      access_granted: granted,
      reason_code: reasonCode,
      matched_source: matchedSource,
    },
  };
}
