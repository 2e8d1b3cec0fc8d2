import * as z from 'zod';
import { anyInstantText, optionalInstantText, optionalText } from '../../base/forms/fields.ts';
import { verdictFields } from '../../core/entitlement/contract.ts';
import { ACCESS_EVENTS } from '../../domain/facility-access.ts';
import { FRESHNESS_STATUSES } from '../../domain/source-freshness.ts';
import type { Contract } from '../../serving/contract.ts';
import { QUERY_BODY } from '../../serving/http/body.ts';
import {
  code,
  count,
  dateTime,
  flag,
  name,
  officerReference,
  openCode,
  place,
  plate,
  timeZone,
  version,
} from '../../serving/http/response-fields.ts';
import { CODE_LENGTH } from '../../storage/db/schema/columns.ts';
import { versionFields } from '../history/history.ts';

/** Asks for a plate's verdict at one instant, as known at another. */
export const evidenceRequest = z
  .strictObject({
    plate: z
      .string()
      .trim()
      .describe('The plate as it was typed or read. It is normalized as in a plate check.'),
    at: anyInstantText.describe('The instant to judge, not further back than what is kept.'),
    known_at: optionalInstantText.describe('Judge with the data recorded until this instant. Absent: `at`.'),
    municipality_code: optionalText.describe('Absent: the credential’s only municipality.'),
    area_code: optionalText.describe('The street or facility, an inactive one too.'),
    event: optionalText
      .pipe(z.enum(ACCESS_EVENTS).default('verify'))
      .describe('As in a plate check: what the gate was asked, or `verify`.'),
  })
  .meta({
    id: 'EvidenceRequest',
    description:
      'The plate, the instant to judge, and the instant of knowledge. Unknown properties are refused.',
  });

/** The most items in a list of an answer. Its counts go further. */
export const MAX_LISTED = 200;

/** Why a plate check would have been refused. */
const VERDICT_REFUSALS = [
  'SERVICE_DISABLED',
  'AREA_NOT_FOUND',
  'FACILITY_REQUIRED',
  'MUNICIPALITY_NOT_ALLOWED',
] as const;
export type VerdictRefusal = (typeof VERDICT_REFUSALS)[number];

const refusedVerdict = z
  .object({ refused: openCode(VERDICT_REFUSALS).describe('The code of the error.') })
  .meta({ id: 'RefusedVerdict', description: 'Why a plate check would have been refused.' });

const verdict = z.union([verdictFields, refusedVerdict]);

const historyItem = z
  .object({
    ...versionFields,
    known_then: flag.describe('Whether it was recorded at or before `known_at`.'),
    late_by_seconds: count
      .nullable()
      .describe('How long after a session’s start its first version came; 0 if before. Else null.'),
  })
  .meta({ id: 'Version', description: 'A version of a session, a subscription or a payment.' });

const evidenceSource = z
  .object({
    code: code.describe('Its code.'),
    name: name.describe('Its name then.'),
    status: z.enum(FRESHNESS_STATUSES).describe('Its freshness then, as in a report.'),
    last_successful_at: dateTime
      .nullable()
      .describe('Its last successful import until then. Null: none, or it was `fresh` or `native`.'),
  })
  .meta({ id: 'EvidenceSource', description: 'A source, as it was at `known_at`.' });

/** The operations whose calls are listed. */
export const CHECK_OPERATIONS = ['plate_check', 'plate_check_v1', 'patrol'] as const;

const evidenceCheck = z
  .object({
    request_id: z.uuid().describe('The id of the call.'),
    at: dateTime.describe('When it was made.'),
    operation: openCode(CHECK_OPERATIONS).describe('Which operation it was.'),
    credential_id: z.string().max(CODE_LENGTH).nullable().describe('Who made it.'),
    outcome: z.string().max(80).describe('As in the call log; of a patrol the plate’s finding or refusal.'),
    officer_reference: officerReference.describe('Who looked, as the caller says. Null: not given.'),
  })
  .meta({ id: 'EvidenceCheck', description: 'A plate check of this plate.' });

const evidenceResponse = z
  .object({
    api_version: version('1.0'),
    plate,
    timezone: timeZone.describe('The time zone today, for all instants but the verdicts’.'),
    municipality: place.describe('The municipality, named as today.'),
    area: place.describe('The area, named as today; absent when none was given.').optional(),
    event: z.enum(ACCESS_EVENTS).describe('The event that was judged.'),
    at: dateTime.describe('The instant that was judged.'),
    known_at: dateTime.describe('The instant of knowledge.'),
    known_since: dateTime.describe('The start of the service’s records of this municipality.'),
    checks_since: dateTime.describe('How far back `checks` reach.'),
    erased_at: dateTime
      .nullable()
      .describe('When the plate was erased here: then what is missing proves nothing. Null: it was not.'),
    generated_at: dateTime.describe('When this answer was made.'),
    as_known_then: verdict.describe('By the data and the configuration of then.'),
    as_known_now: verdict.describe('The verdict by today’s data.'),
    differs: flag.describe('Whether they differ in a refusal, an entitlement or the gate’s decision.'),
    history_count: count.describe('Versions found; 1,000 at most.'),
    history: z
      .array(historyItem)
      .max(MAX_LISTED)
      .describe('The first 200 versions around the instant, oldest first; of sessions those of the area.'),
    sources: z.array(evidenceSource).describe('The sources that were configured at `known_at`, by code.'),
    checks_count: count.describe('Checks found; 1,000 at most.'),
    checks: z
      .array(evidenceCheck)
      .max(MAX_LISTED)
      .describe('The first 200 checks of the plate within 24 hours of `at`, in all areas, oldest first.'),
  })
  .meta({ id: 'EvidenceResponse', description: 'The data about a plate as known then, and as known today.' });

export type Verdict = z.infer<typeof verdict>;
export type EvidenceResponse = z.infer<typeof evidenceResponse>;

/** Finds the data about a plate as known when an officer asked, and as known today. */
export const searchEvidence = {
  id: 'searchEvidence',
  method: 'POST',
  path: '/api/v2/evidence/search',
  access: { by: 'credential', scope: 'evidence', budget: 'evidence' },
  deadlineMs: 5_000,
  body: { kind: 'json', schema: evidenceRequest, maxBytes: QUERY_BODY },
  answer: evidenceResponse,
  errors: [
    'AREA_NOT_FOUND',
    'INVALID_PLATE',
    'CHECKED_AT_IN_FUTURE',
    'CHECKED_AT_OUT_OF_RANGE',
    'KNOWN_AT_OUT_OF_RANGE',
    'AREA_CODE_REQUIRED',
    'FACILITY_REQUIRED',
  ],
  log: { operation: 'evidence' },
  takesOfficer: true,
} as const satisfies Contract;
