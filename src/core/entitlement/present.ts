import type { Language } from '../../base/text/text.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import type { AccessFields, VerdictFields } from './contract.ts';
import type { CheckedPlate } from './judge.ts';
import { ACCESS_REASON_TEXT, AREA_CODE_WARNING } from './texts.ts';

/**
 * The verdict of the plate check 2.0: its answer from `verification_scope` to the end, instants in the municipality's time zone.
 */
export function presentVerdict(checked: CheckedPlate, language: Language): VerdictFields {
  const { verdict, municipality } = checked;
  const { sessionsCount, validSessionsCount, subscriptions, validSubscriptionsCount } = verdict;
  return {
    verification_scope: municipality.area ? 'area' : 'municipality',
    subscriptions_supported: municipality.subscriptionsEnabled,
    verification_complete: !verdict.requiresAreaCode,
    requires_area_code: verdict.requiresAreaCode,
    has_valid_entitlement: verdict.hasValidEntitlement,
    has_valid_parking: verdict.hasValidParking,
    has_valid_subscription: verdict.hasValidSubscription,
    sessions_count: sessionsCount,
    valid_sessions_count: validSessionsCount,
    subscriptions_count: subscriptions.length,
    valid_subscriptions_count: validSubscriptionsCount,
    results_count: sessionsCount + subscriptions.length,
    entitlements_count: validSessionsCount + validSubscriptionsCount,
    sessions: presentSessions(checked),
    subscriptions: subscriptions.map((item) => ({
      subscription_number: item.subscriptionNumber,
      plate: item.plate,
      status: item.status,
      reason_code: item.reasonCode,
      is_valid_at_check_time: item.isValidAtCheckTime,
    })),
    warnings: verdict.requiresAreaCode
      ? [{ code: 'AREA_CODE_REQUIRED', message: AREA_CODE_WARNING[language] }]
      : [],
    ...presentAccess(checked, language),
  };
}

/** The sessions of a plate check, 2.0 or V1. */
export function presentSessions({ verdict, municipality }: CheckedPlate): VerdictFields['sessions'] {
  const { timeZone } = municipality;
  return verdict.sessions.map((session) => ({
    session_id: session.sessionId,
    plate: session.plate,
    area: { code: session.area.code, name: session.area.name },
    source_code: session.sourceCode,
    starts_at: formatInstant(session.startsAt, timeZone),
    ends_at: session.endsAt === null ? null : formatInstant(session.endsAt, timeZone),
    status: session.status,
    is_valid_at_check_time: session.isValidAtCheckTime,
  }));
}

function presentAccess(
  { event, municipality, access }: CheckedPlate,
  language: Language,
): AccessFields | null {
  const { area } = municipality;
  if (access === null || !area?.facility) return null;
  const { granted, reasonCode, matchedSource } = access;
  return {
    access_event: event,
    access_granted: granted,
    access_reason_code: reasonCode,
    access_reason: ACCESS_REASON_TEXT[reasonCode][language],
    access_control: {
      event,
      area_code: area.code,
      entry_grace_minutes: area.facility.entryGraceMinutes,
      exit_grace_minutes: area.facility.exitGraceMinutes,
      access_granted: granted,
      reason_code: reasonCode,
      matched_source: matchedSource,
    },
  };
}
