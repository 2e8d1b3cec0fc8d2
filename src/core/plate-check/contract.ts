import * as z from 'zod';
import { optionalInstantText, optionalText } from '../../base/forms/fields.ts';
import { ACCESS_EVENTS } from '../../domain/facility-access.ts';
import type { Contract } from '../../serving/contract.ts';
import { QUERY_BODY } from '../../serving/http/body.ts';
import { dateTime, flag, place, plate, timeZone, version } from '../../serving/http/response-fields.ts';
import { sessionFields, verdictFields } from '../entitlement/contract.ts';

/** The V1 request. */
export const plateCheckV1Request = z
  .object({
    plate: z
      .string()
      .trim()
      .describe(
        'The plate as typed or read. The service normalizes it: case, spaces, dashes, dots and diacritics do not matter, and Greek and Cyrillic letters count as the Latin letter of the same shape; `O` and `0`, `I` and `1` stay distinct. The result must be 1 to 15 letters and digits, else `INVALID_PLATE`.',
      ),
    municipality_code: optionalText.describe(
      'The municipality. Null, blank or absent: the credential’s only municipality; a credential with several, inactive ones included, gets `MUNICIPALITY_REQUIRED`.',
    ),
    area_code: optionalText.describe(
      'The street or facility. Null and blank mean absent. Recommended: a subscription limited to areas cannot be confirmed without it.',
    ),
    checked_at: optionalInstantText.describe(
      'The instant to verify: ISO 8601 with a date, a time to the minute or finer, and an offset. Null, blank or absent: now. Up to 5 seconds in the future counts as now. An instant in the past is judged by today’s data.',
    ),
  })
  .meta({
    id: 'PlateCheckV1Request',
    description: 'A plate to verify. Unknown properties are ignored, including `event`.',
  });

/** The V2 request: with `event`. */
export const plateCheckRequest = plateCheckV1Request
  .extend({
    event: optionalText
      .pipe(z.enum(ACCESS_EVENTS).default('verify'))
      .describe(
        '`entry` and `exit` ask for a gate decision, and need an active facility in `area_code`; `entry` uses the entry tolerance, `exit` the exit tolerance. `verify` is the general check, which considers both tolerances in a facility. Null, blank or absent: `verify`.',
      ),
  })
  .meta({ id: 'PlateCheckRequest', description: 'A plate to verify. Unknown properties are ignored.' });

/** What was checked: the plate, when, and where. */
const checkedPlace = {
  plate,
  timezone: timeZone.describe(
    'The municipality’s time zone, an IANA name. Every instant of the answer is shown in it.',
  ),
  checked_at: dateTime.describe('The instant that was verified.'),
  municipality: place.describe('The municipality that was verified.'),
  area: place.describe('The area that was verified. Absent if none was given.').optional(),
};

/** V1: parking sessions only. */
const plateCheckV1Response = z
  .object({
    api_version: version('1.0'),
    ...checkedPlace,
    has_valid_parking: flag.describe('The outcome: whether a session is valid at the instant.'),
    ...sessionFields,
  })
  .meta({
    id: 'PlateCheckV1Response',
    description: 'The result of a verification of parking sessions only.',
  });

/** The place, and the verdict. */
const plateCheckResponse = z
  .object({ api_version: version('2.0'), ...checkedPlace, ...verdictFields.shape })
  .meta({
    id: 'PlateCheckResponse',
    description:
      'The result of a verification, whatever its outcome. A negative is a valid answer, with its reasons. The five `access_…` fields are all present if the area is a facility, whatever the event, and all absent otherwise.',
  });

export type PlateCheckV1Request = z.infer<typeof plateCheckV1Request>;
export type PlateCheckV1Response = z.infer<typeof plateCheckV1Response>;
export type PlateCheckResponse = z.infer<typeof plateCheckResponse>;

const common = {
  method: 'POST',
  access: { by: 'credential', scope: 'plate_check', budget: 'calls', tokenHeaders: 'all' },
  // A driver waits: after this, a clear failure is better than an answer.
  deadlineMs: 2_000,
  errors: [
    'SERVICE_DISABLED',
    'AREA_FORBIDDEN',
    'AREA_NOT_FOUND',
    'INVALID_PLATE',
    'CHECKED_AT_IN_FUTURE',
    'CHECKED_AT_OUT_OF_RANGE',
    'AREA_CODE_REQUIRED',
  ],
  takesOfficer: true,
} as const;

/** The plate check 2.0. */
export const plateCheck = {
  ...common,
  id: 'checkPlate',
  path: '/api/v2/parking-entitlements/search',
  body: { kind: 'json', schema: plateCheckRequest, maxBytes: QUERY_BODY },
  answer: plateCheckResponse,
  errors: [...common.errors, 'FACILITY_REQUIRED'],
  log: { operation: 'plate_check' },
} as const satisfies Contract;

/** The same under its earlier path. */
export const plateCheckAlias = {
  ...plateCheck,
  id: 'checkPlateAlias',
  path: '/api/v2/parking/check-plate',
};

/** The plate check V1: only sessions. */
export const plateCheckV1 = {
  ...common,
  id: 'checkPlateV1',
  path: '/api/v1/parking/check-plate',
  body: { kind: 'json', schema: plateCheckV1Request, maxBytes: QUERY_BODY },
  answer: plateCheckV1Response,
  log: { operation: 'plate_check_v1' },
} as const satisfies Contract;
