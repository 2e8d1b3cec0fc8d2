import { SESSION_WORDS, VERDICT_WORDS } from '../entitlement/description-schemas.ts';
import { ENVELOPE_WORDS, inEnvelope } from '../openapi/envelope.ts';
import { input, output } from '../openapi/words.ts';
import { plateCheckRequest, plateCheckV1Request } from './request.ts';
import { plateCheckResponse, plateCheckV1Response } from './response.ts';

const REQUEST_WORDS = {
  plate:
    'The plate as it was typed or read. The service normalizes it: case, spaces, dashes, dots and diacritics do not matter, and Greek and Cyrillic letters count as the Latin letter of the same shape; `O` and `0`, `I` and `1` stay apart. What is left must be 1 to 15 letters and digits, else `INVALID_PLATE`.',
  municipality_code:
    'The municipality. Null, blank and absent stand for the credential’s only active municipality; a credential with several gets `MUNICIPALITY_REQUIRED`.',
  area_code:
    'The street or facility. Null, blank and absent are the same. Recommended, because a subscription that is limited to areas cannot be confirmed without it.',
  checked_at:
    'The instant to verify: ISO 8601 with a date, a time to the minute or finer, and an offset. Null, blank and absent stand for now. Up to 5 seconds in the future counts as now. An instant in the past is judged by what is known today.',
} as const;

export const REQUEST = input(
  'PlateCheckRequest',
  plateCheckRequest,
  'What to verify. Unknown properties are ignored.',
  {
    ...REQUEST_WORDS,
    event:
      '`entry` and `exit` ask for a gate decision, and need `area_code` with an active facility; `entry` uses the entry tolerance, `exit` the exit tolerance. `verify` is the general check, and the default for null, blank and absent: in a facility it considers both tolerances.',
  },
);

export const V1_REQUEST = input(
  'PlateCheckV1Request',
  plateCheckV1Request,
  'What to verify. Unknown properties are ignored, including `event`.',
  REQUEST_WORDS,
);

const CHECKED_WORDS = {
  plate: 'The normalized plate.',
  timezone: 'The municipality’s time zone, an IANA name. Every instant of the answer is shown in it.',
  checked_at: 'The instant that was verified.',
  municipality: 'The municipality that was verified.',
  area: 'The area that was verified; absent when none was given.',
} as const;

export const RESPONSE = output(
  'PlateCheckResponse',
  inEnvelope(plateCheckResponse),
  'The result of a verification, whatever its outcome. A negative is a valid answer, with its reasons. The five `access_…` fields are all present if the area is a facility, whatever the event, and all absent otherwise.',
  {
    ...ENVELOPE_WORDS,
    api_version: 'The version of this operation.',
    ...CHECKED_WORDS,
    ...VERDICT_WORDS,
  },
);

export const V1_RESPONSE = output(
  'PlateCheckV1Response',
  inEnvelope(plateCheckV1Response),
  'The result of a verification of parking sessions only.',
  {
    ...ENVELOPE_WORDS,
    api_version: 'The version of this operation.',
    ...CHECKED_WORDS,
    has_valid_parking: 'The outcome: whether a session is valid at the instant.',
    ...SESSION_WORDS,
  },
);
