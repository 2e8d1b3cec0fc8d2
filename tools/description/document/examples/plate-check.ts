import type { AccessFields } from '../../../../src/core/entitlement/contract.ts';
import { ACCESS_REASON_TEXT, AREA_CODE_WARNING } from '../../../../src/core/entitlement/texts.ts';
import type { PlateCheckResponse, PlateCheckV1Response } from '../../../../src/core/plate-check/contract.ts';
import type { AccessEvent, AccessReasonCode } from '../../../../src/domain/facility-access.ts';
import type { Examples } from '../openapi/parts.ts';
import { CITY, FACILITY, PARKED, SOURCE, STREET, STREET_CITY } from './city.ts';
import { ENVELOPE } from './envelope.ts';

type Session = PlateCheckResponse['sessions'][number];
type Subscription = PlateCheckResponse['subscriptions'][number];

const SESSION: Session = {
  session_id: 'DE201MO-1',
  plate: PARKED,
  area: FACILITY,
  source_code: SOURCE.code,
  starts_at: '2026-03-07T17:00:00+01:00',
  ends_at: '2026-03-07T19:00:00+01:00',
  status: 'valid',
  is_valid_at_check_time: true,
};

const SUBSCRIPTION: Subscription = {
  subscription_number: 'SUB-DE201MO-1',
  plate: PARKED,
  status: 'active',
  reason_code: 'VALID_SUBSCRIPTION',
  is_valid_at_check_time: true,
};

/** An answer whose counts and outcome follow from its sessions and subscriptions. */
function answer(
  changed: Partial<PlateCheckResponse> & {
    readonly sessions?: Session[];
    readonly subscriptions?: Subscription[];
  },
): PlateCheckResponse & typeof ENVELOPE {
  const { sessions = [], subscriptions = [] } = changed;
  const validSessions = sessions.filter((item) => item.is_valid_at_check_time).length;
  const validSubscriptions = subscriptions.filter((item) => item.is_valid_at_check_time).length;
  const isOpen = subscriptions.some((item) => item.reason_code === 'AREA_CODE_REQUIRED');
  return {
    ...ENVELOPE,
    api_version: '2.0',
    plate: PARKED,
    timezone: 'Europe/Rome',
    checked_at: '2026-03-07T17:44:12+01:00',
    municipality: CITY,
    verification_scope: changed.area ? 'area' : 'municipality',
    subscriptions_supported: true,
    verification_complete: !isOpen,
    requires_area_code: isOpen,
    has_valid_entitlement: validSessions + validSubscriptions > 0,
    has_valid_parking: validSessions > 0,
    has_valid_subscription: validSubscriptions > 0,
    sessions_count: sessions.length,
    valid_sessions_count: validSessions,
    subscriptions_count: subscriptions.length,
    valid_subscriptions_count: validSubscriptions,
    results_count: sessions.length + subscriptions.length,
    entitlements_count: validSessions + validSubscriptions,
    warnings: isOpen ? [{ code: 'AREA_CODE_REQUIRED', message: AREA_CODE_WARNING.en }] : [],
    ...changed,
    sessions,
    subscriptions,
  };
}

function gate(
  event: AccessEvent,
  reasonCode: AccessReasonCode,
  matchedSource: AccessFields['access_control']['matched_source'] = 'none',
): AccessFields & { area: PlateCheckResponse['area'] } {
  const granted = matchedSource !== 'none';
  return {
    area: FACILITY,
    access_event: event,
    access_granted: granted,
    access_reason_code: reasonCode,
    access_reason: ACCESS_REASON_TEXT[reasonCode].en,
    access_control: {
      event,
      area_code: FACILITY.code,
      entry_grace_minutes: 15,
      exit_grace_minutes: 20,
      access_granted: granted,
      reason_code: reasonCode,
      matched_source: matchedSource,
    },
  };
}

const prepaid = (changed: Partial<Session>): Session => ({ ...SESSION, ...changed });
const early = prepaid({
  starts_at: '2026-03-07T17:50:00+01:00',
  status: 'not_started',
  is_valid_at_check_time: false,
});
const late = (endsAt: string) =>
  prepaid({
    starts_at: '2026-03-07T15:00:00+01:00',
    ends_at: endsAt,
    status: 'expired',
    is_valid_at_check_time: false,
  });

export const RESPONSES: Examples = {
  valid_session: {
    summary: 'An officer’s check on a street: a session is valid',
    value: answer({
      municipality: STREET_CITY,
      area: STREET,
      sessions: [{ ...SESSION, area: STREET }],
    }),
  },
  valid_session_and_subscription: {
    summary: 'Both: a session and a subscription',
    value: answer({
      municipality: STREET_CITY,
      area: STREET,
      sessions: [{ ...SESSION, area: STREET }],
      subscriptions: [SUBSCRIPTION],
    }),
  },
  nothing_valid: {
    summary: 'A valid negative: verified, and nothing is valid',
    value: answer({
      municipality: STREET_CITY,
      area: STREET,
      subscriptions: [
        { ...SUBSCRIPTION, status: 'expired', reason_code: 'PERIOD_EXPIRED', is_valid_at_check_time: false },
      ],
    }),
  },
  area_needed: {
    summary: 'Still open: a subscription is limited to areas, and none was given',
    value: answer({
      subscriptions: [{ ...SUBSCRIPTION, reason_code: 'AREA_CODE_REQUIRED', is_valid_at_check_time: false }],
    }),
  },
  entry_granted: {
    summary: 'An entry with a prepaid session',
    value: answer({
      ...gate('entry', 'VALID_PREPAID_FACILITY_SESSION', 'parking_session'),
      sessions: [prepaid({})],
    }),
  },
  entry_granted_by_tolerance: {
    summary: 'An entry granted by tolerance: six minutes early, although nothing is valid yet',
    value: answer({
      ...gate('entry', 'VALID_PREPAID_FACILITY_SESSION', 'parking_session'),
      sessions: [early],
    }),
  },
  exit_granted_by_tolerance: {
    summary: 'An exit granted by tolerance: four minutes late',
    value: answer({
      ...gate('exit', 'VALID_PREPAID_FACILITY_SESSION', 'parking_session'),
      sessions: [late('2026-03-07T17:40:00+01:00')],
    }),
  },
  entry_granted_to_subscription: {
    summary: 'An entry with a subscription, in a facility that accepts them',
    value: answer({
      ...gate('entry', 'VALID_FACILITY_SUBSCRIPTION', 'subscription'),
      subscriptions: [SUBSCRIPTION],
    }),
  },
  entry_refused: {
    summary: 'An entry refused: the session ended hours ago',
    value: answer({ ...gate('entry', 'SESSION_EXPIRED'), sessions: [late('2026-03-07T16:00:00+01:00')] }),
  },
  entry_refused_subscription_not_allowed: {
    summary:
      'An entry refused although the subscription is valid: the facility does not accept subscriptions',
    value: answer({ ...gate('entry', 'SUBSCRIPTION_NOT_ALLOWED'), subscriptions: [SUBSCRIPTION] }),
  },
  entry_refused_no_entitlement: {
    summary: 'An entry refused: the plate has no entitlement here',
    value: answer(gate('entry', 'NO_VALID_FACILITY_ENTITLEMENT')),
  },
};

const asked = { plate: 'DE 201 MO', municipality_code: CITY.code, area_code: FACILITY.code };
export const REQUESTS: Examples = {
  verify: { summary: 'An officer’s check', value: asked },
  whole_municipality: {
    summary: 'Without an area',
    value: { plate: PARKED, municipality_code: CITY.code },
  },
  entry: { summary: 'A barrier asks for an entry', value: { ...asked, event: 'entry' } },
  exit: {
    summary: 'A barrier asks for an exit',
    value: { plate: PARKED, area_code: FACILITY.code, event: 'exit' },
  },
  past_instant: {
    summary: 'A moment in the past',
    value: { plate: PARKED, area_code: FACILITY.code, checked_at: '2026-03-07T17:44:12+01:00' },
  },
};

const v1 = (sessions: Session[]): PlateCheckV1Response & typeof ENVELOPE => {
  const valid = sessions.filter((item) => item.is_valid_at_check_time).length;
  return {
    ...ENVELOPE,
    api_version: '1.0',
    plate: PARKED,
    timezone: 'Europe/Rome',
    checked_at: '2026-03-07T17:44:12+01:00',
    municipality: CITY,
    area: FACILITY,
    has_valid_parking: valid > 0,
    sessions_count: sessions.length,
    valid_sessions_count: valid,
    sessions,
  };
};

export const V1_REQUESTS: Examples = {
  verify: { summary: 'An officer’s check', value: { plate: PARKED, area_code: FACILITY.code } },
};

export const V1_RESPONSES: Examples = {
  valid_session: { summary: 'A session is valid', value: v1([SESSION]) },
  nothing_valid: { summary: 'A valid negative', value: v1([]) },
};
