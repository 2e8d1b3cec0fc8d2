import * as z from 'zod';
import { customIssue, optionalInstantText, optionalText } from '../../base/forms/fields.ts';
import { DOUBT_CODES, FINDINGS } from '../../domain/patrol/finding.ts';
import { FRESHNESS_STATUSES } from '../../domain/source-freshness.ts';
import type { Contract } from '../../serving/contract.ts';
import { QUERY_BODY } from '../../serving/http/body.ts';
import {
  code,
  dateTime,
  flag,
  name,
  openCode,
  place,
  plate,
  sentence,
  timeZone,
  version,
} from '../../serving/http/response-fields.ts';
import { REPEATED } from '../../serving/http/validation.ts';
import { AREA_TYPES } from '../../storage/db/schema/configuration.ts';

const MAX_CHECKS = 100;
const MAX_ID_CHARACTERS = 64;

const NOT_BLANK = customIssue({ en: 'must not be blank', it: 'non deve essere vuoto' });

const check = z
  .strictObject({
    id: z
      .string()
      .min(1)
      .max(MAX_ID_CHARACTERS)
      .describe('The client’s id of this sighting, unique in the call. Returned as sent.'),
    plate: z.string().trim().describe('The plate as typed or read. It is normalized as in a plate check.'),
    area_code: z
      .string()
      .trim()
      .refine((text) => text !== '', { params: NOT_BLANK })
      .describe('The street or facility where the vehicle is.'),
    seen_at: optionalInstantText.describe(
      'When it was seen, in the form of `checked_at`. Null, blank or absent: now. At most 48 hours ago, whatever the credential allows, so that you can ask again about the same sighting.',
    ),
  })
  .meta({ id: 'Sighting', description: 'A vehicle that was seen. Unknown properties are refused.' });

export const patrolRequest = z
  .strictObject({
    municipality_code: optionalText.describe(
      'The municipality. Null, blank or absent: the credential’s only municipality.',
    ),
    checks: z
      .array(check)
      .min(1)
      .max(MAX_CHECKS)
      .superRefine((checks, context) => {
        const seen = new Set<string>();
        for (const [index, { id }] of checks.entries()) {
          if (seen.has(id)) {
            context.addIssue({ code: 'custom', path: [index, 'id'], params: customIssue(REPEATED) });
          }
          seen.add(id);
        }
      })
      .describe('The sightings. Each costs one of the budget.'),
  })
  .meta({ id: 'PatrolRequest', description: 'Sightings to judge. Unknown properties are refused.' });

const patrolSource = z
  .object({
    code: code.describe('Its code.'),
    name: name.describe('Its name.'),
    status: z.enum(FRESHNESS_STATUSES).describe('Its freshness, as in a report.'),
    complete_until: dateTime
      .nullable()
      .describe(
        'It has reported everything up to this instant: its last success less its `report_delay_minutes`; for a `native` one the present less that, unless its last import failed. Null: it needs a success and has had none.',
      ),
  })
  .meta({ id: 'PatrolSource', description: 'An active source.' });

const doubt = z
  .object({
    code: openCode(DOUBT_CODES).describe(
      'Waiting settles `MAY_BE_PAYING` and, for an hour, `SOURCE_LATE`. Only the officer can settle the others.',
    ),
    message: sentence.describe('For people.'),
    source_code: code.optional().describe('For `SOURCE_LATE`: the source.'),
    area: place.optional().describe('For `VALID_IN_OTHER_AREA`: where it is valid.'),
  })
  .meta({ id: 'Doubt', description: 'Why a “no” cannot be trusted. It names no other plate.' });

const result = z
  .object({
    id: z.string().min(1).max(MAX_ID_CHARACTERS).describe('As sent.'),
    plate,
    area: z
      .object({
        code: code.describe('Its code.'),
        name: name.describe('Its name.'),
        area_type: z.enum(AREA_TYPES).describe('Street or facility.'),
      })
      .describe('Where it was seen.'),
    seen_at: dateTime.describe('When it was seen.'),
    finding: z
      .enum(FINDINGS)
      .describe(
        'What the officer may conclude. Only `no_entitlement` is grounds for a fine. `look_again` is not final, and `officer_decides` leaves the decision to the officer.',
      ),
    look_again_at: dateTime
      .nullable()
      .describe('When to ask again about the same `seen_at`. Null except for `look_again`.'),
    payment_due: flag.describe('Whether parking must be paid there at `seen_at`.'),
    has_valid_entitlement: flag.describe('As in a plate check at `seen_at`.'),
    has_valid_parking: flag.describe('As in a plate check at `seen_at`.'),
    has_valid_subscription: flag.describe('As in a plate check at `seen_at`.'),
    doubts: z.array(doubt).describe('The reasons for `look_again` or `officer_decides`; else empty.'),
  })
  .meta({ id: 'PatrolResult', description: 'The finding about a sighting.' });

/** The codes with which a single item is refused. */
const ITEM_REFUSALS = [
  'INVALID_PLATE',
  'CHECKED_AT_IN_FUTURE',
  'CHECKED_AT_OUT_OF_RANGE',
  'AREA_FORBIDDEN',
  'AREA_NOT_FOUND',
  'TEMPORARY_ERROR',
] as const;
export type ItemRefusal = (typeof ITEM_REFUSALS)[number];

const refusedResult = z
  .object({
    id: z.string().min(1).max(MAX_ID_CHARACTERS).describe('As sent.'),
    refused: z
      .object({
        code: openCode(ITEM_REFUSALS).describe('The code with which a plate check would refuse it.'),
        message: sentence.describe('For people.'),
      })
      .describe('Why nothing was verified. Never grounds for a fine.'),
  })
  .meta({ id: 'RefusedSighting', description: 'A refused sighting. The others are judged.' });

const patrolResponse = z
  .object({
    api_version: version('1.0'),
    timezone: timeZone,
    municipality: place.describe('The municipality.'),
    generated_at: dateTime.describe('The instant of the answer.'),
    sources: z.array(patrolSource).describe('The active sources, by code.'),
    results: z
      .array(z.union([result, refusedResult]))
      .max(MAX_CHECKS)
      .describe('In the order of `checks`.'),
  })
  .meta({ id: 'PatrolResponse', description: 'The finding about each sighting.' });

export type PatrolRequest = z.infer<typeof patrolRequest>;
export type PatrolResponse = z.infer<typeof patrolResponse>;

/** What an officer may conclude from a sighting on the street. */
export const patrol = {
  id: 'checkPatrol',
  method: 'POST',
  path: '/api/v2/patrol/checks',
  access: { by: 'credential', scope: 'patrol', budget: 'patrol' },
  deadlineMs: 5_000,
  body: { kind: 'json', schema: patrolRequest, maxBytes: QUERY_BODY },
  answer: patrolResponse,
  errors: ['SERVICE_DISABLED'],
  log: { operation: 'patrol' },
  takesOfficer: true,
} as const satisfies Contract;
