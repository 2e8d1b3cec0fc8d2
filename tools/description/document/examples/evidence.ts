import type * as z from 'zod';
import type { VerdictFields } from '../../../../src/core/entitlement/contract.ts';
import type { EvidenceResponse, evidenceCheck } from '../../../../src/office/evidence/contract.ts';
import type { Examples } from '../openapi/parts.ts';
import { CITY, OBJECTING, SMALL_FACILITY, SOURCE } from './city.ts';
import { ENVELOPE } from './envelope.ts';

const NOTHING: VerdictFields = {
  verification_scope: 'area',
  subscriptions_supported: true,
  verification_complete: true,
  requires_area_code: false,
  has_valid_entitlement: false,
  has_valid_parking: false,
  has_valid_subscription: false,
  sessions_count: 0,
  valid_sessions_count: 0,
  subscriptions_count: 0,
  valid_subscriptions_count: 0,
  results_count: 0,
  entitlements_count: 0,
  sessions: [],
  subscriptions: [],
  warnings: [],
};

const PAID: VerdictFields = {
  ...NOTHING,
  has_valid_entitlement: true,
  has_valid_parking: true,
  sessions_count: 1,
  valid_sessions_count: 1,
  results_count: 1,
  entitlements_count: 1,
  sessions: [
    {
      session_id: 'DE501MO-1',
      plate: OBJECTING,
      area: SMALL_FACILITY,
      source_code: SOURCE.code,
      starts_at: '2026-03-07T08:34:00+01:00',
      ends_at: '2026-03-07T10:00:00+01:00',
      status: 'valid',
      is_valid_at_check_time: true,
    },
  ],
};

const CHECKED: z.infer<typeof evidenceCheck> = {
  request_id: 'c2a1c8f4-5a0e-4f8e-9a53-2f6c7d1e0b94',
  at: '2026-03-07T08:39:00+01:00',
  operation: 'plate_check',
  credential_id: '5f0c1b7e9a3d4c2b8e6f0a1d',
  outcome: 'OK',
  officer_reference: 'badge-0417',
};

export const REQUESTS: Examples = {
  objection: {
    summary: 'An officer looked at 8:39; the driver says that he had paid',
    value: {
      plate: 'DE 501 MO',
      at: '2026-03-07T08:39:00+01:00',
      municipality_code: CITY.code,
      area_code: SMALL_FACILITY.code,
    },
  },
};

/** The session had been paid for, and arrived a minute after the check. */
export const RESPONSE: EvidenceResponse & typeof ENVELOPE = {
  ...ENVELOPE,
  api_version: '1.0',
  plate: OBJECTING,
  timezone: 'Europe/Rome',
  municipality: CITY,
  area: SMALL_FACILITY,
  event: 'verify',
  at: '2026-03-07T08:39:00+01:00',
  known_at: '2026-03-07T08:39:00+01:00',
  known_since: '2026-01-01T00:00:00+01:00',
  checks_since: '2026-01-01T00:00:00+01:00',
  erased_at: null,
  generated_at: '2026-03-20T11:02:31.120+01:00',
  as_known_then: NOTHING,
  as_known_now: PAID,
  differs: true,
  history_count: 1,
  history: [
    {
      recorded_at: '2026-03-07T08:40:02.310+01:00',
      replaced_at: null,
      request_id: 'd41f5a0c-1be7-4f0e-9b55-62a0f7e3c8aa',
      known_then: false,
      kind: 'parking_session',
      source_code: SOURCE.code,
      key: 'DE501MO-1',
      late_by_seconds: 362,
      record: {
        session_id: 'DE501MO-1',
        plate: OBJECTING,
        area_code: SMALL_FACILITY.code,
        starts_at: '2026-03-07T08:34:00+01:00',
        ends_at: '2026-03-07T10:00:00+01:00',
        cancelled_at: null,
        revision: null,
      },
    },
  ],
  sources: [{ ...SOURCE, status: 'stale', last_successful_at: '2026-03-07T08:20:11+01:00' }],
  checks_count: 1,
  checks: [CHECKED],
};
