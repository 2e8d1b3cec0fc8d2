import { ACCESS_REASON_TEXT } from '../../../../src/core/entitlement/texts.ts';
import type { PlateCheckResponse, PlateCheckV1Response } from '../../../../src/core/plate-check/contract.ts';
import type { Examples } from '../openapi/parts.ts';
import { CITY, FACILITY, PARKED, SOURCE } from './city.ts';
import { ENVELOPE } from './envelope.ts';

const SESSION: PlateCheckResponse['sessions'][number] = {
  session_id: 'DE201MO-1',
  plate: PARKED,
  area: FACILITY,
  source_code: SOURCE.code,
  starts_at: '2026-03-07T17:00:00+01:00',
  ends_at: '2026-03-07T19:00:00+01:00',
  status: 'valid',
  is_valid_at_check_time: true,
};

/** A barrier asked for an entry: the session opens it. */
export const RESPONSE: PlateCheckResponse & typeof ENVELOPE = {
  ...ENVELOPE,
  api_version: '2.0',
  plate: PARKED,
  timezone: 'Europe/Rome',
  checked_at: '2026-03-07T17:44:12+01:00',
  municipality: CITY,
  area: FACILITY,
  verification_scope: 'area',
  subscriptions_supported: true,
  verification_complete: true,
  requires_area_code: false,
  has_valid_entitlement: true,
  has_valid_parking: true,
  has_valid_subscription: false,
  sessions_count: 1,
  valid_sessions_count: 1,
  subscriptions_count: 1,
  valid_subscriptions_count: 0,
  results_count: 2,
  entitlements_count: 1,
  sessions: [SESSION],
  subscriptions: [
    {
      subscription_number: 'SUB-DE201MO-1',
      plate: PARKED,
      status: 'expired',
      reason_code: 'PERIOD_EXPIRED',
      is_valid_at_check_time: false,
    },
  ],
  warnings: [],
  access_event: 'entry',
  access_granted: true,
  access_reason_code: 'VALID_PREPAID_FACILITY_SESSION',
  access_reason: ACCESS_REASON_TEXT.VALID_PREPAID_FACILITY_SESSION.en,
  access_control: {
    event: 'entry',
    area_code: FACILITY.code,
    entry_grace_minutes: 15,
    exit_grace_minutes: 20,
    access_granted: true,
    reason_code: 'VALID_PREPAID_FACILITY_SESSION',
    matched_source: 'parking_session',
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
    value: { ...asked, event: 'exit' },
  },
  past_instant: {
    summary: 'A moment in the past',
    value: { ...asked, checked_at: '2026-03-07T17:44:12+01:00' },
  },
};

export const V1_RESPONSE: PlateCheckV1Response & typeof ENVELOPE = {
  ...ENVELOPE,
  api_version: '1.0',
  plate: PARKED,
  timezone: 'Europe/Rome',
  checked_at: '2026-03-07T17:44:12+01:00',
  municipality: CITY,
  area: FACILITY,
  has_valid_parking: true,
  sessions_count: 1,
  valid_sessions_count: 1,
  sessions: [SESSION],
};

export const V1_REQUESTS: Examples = {
  verify: { summary: 'An officer’s check', value: asked },
};
