import * as z from 'zod';
import { CODE_LENGTH } from '../db/schema/columns.ts';
import { ACCESS_EVENTS } from '../domain/facility-access.ts';
import { FRESHNESS_STATUSES } from '../domain/source-freshness.ts';
import { verdictFields } from '../entitlement/response.ts';
import { changeFields } from '../history/response.ts';
import { code, count, dateTime, name, place, plate, timeZone } from '../http/response-fields.ts';

/** The most that an answer lists. The counts have no bound. */
export const MAX_LISTED = 200;

/** Why a plate check would have been refused. */
export const VERDICT_REFUSALS = [
  'SERVICE_DISABLED',
  'AREA_NOT_FOUND',
  'FACILITY_REQUIRED',
  'MUNICIPALITY_NOT_ALLOWED',
  'TENANT_DISABLED',
] as const;

export const refusedVerdict = z.object({ refused: z.enum(VERDICT_REFUSALS) });

const verdict = z.union([verdictFields, refusedVerdict]);

export const historyItem = z.object({
  recorded_at: changeFields.recorded_at,
  request_id: changeFields.request_id,
  known_then: z.boolean(),
  kind: changeFields.kind,
  source_code: changeFields.source_code,
  key: changeFields.key,
  late_by_seconds: count.nullable(),
  record: changeFields.record,
});

export const evidenceSource = z.object({
  code,
  name,
  status: z.enum(FRESHNESS_STATUSES),
  last_successful_at: dateTime.nullable(),
});

export const evidenceCheck = z.object({
  request_id: z.uuid(),
  at: dateTime,
  operation: z.enum(['plate_check', 'plate_check_v1']),
  credential_id: z.string().max(CODE_LENGTH).nullable(),
  outcome: z.string().max(80),
});

export const evidenceResponse = z.object({
  api_version: z.literal('1.0'),
  plate,
  timezone: timeZone,
  municipality: place,
  area: place.optional(),
  event: z.enum(ACCESS_EVENTS),
  at: dateTime,
  known_at: dateTime,
  known_since: dateTime,
  checks_since: dateTime,
  generated_at: dateTime,
  as_known_then: verdict,
  as_known_now: verdict,
  differs: z.boolean(),
  history_count: count,
  history: z.array(historyItem).max(MAX_LISTED),
  sources: z.array(evidenceSource),
  checks_count: count,
  checks: z.array(evidenceCheck).max(MAX_LISTED),
});

export type Verdict = z.infer<typeof verdict>;
export type EvidenceResponse = z.infer<typeof evidenceResponse>;
