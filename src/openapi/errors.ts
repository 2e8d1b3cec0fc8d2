import { ERROR_STATUS, type ErrorCode } from '../errors/error-codes.ts';
import type { Operation } from '../pipeline/operation.ts';

type Status = (typeof ERROR_STATUS)[ErrorCode];

/** Every code that an operation may answer, by status. */
export function errorsOf(operation: Operation): ReadonlyMap<Status, readonly ErrorCode[]> {
  const codes = new Set<ErrorCode>([
    ...accessErrors(operation),
    ...bodyErrors(operation),
    ...operation.errors,
    'METHOD_NOT_ALLOWED',
    'TEMPORARY_ERROR',
  ]);
  const inOrder = (Object.keys(ERROR_STATUS) as ErrorCode[]).filter((code) => codes.has(code));
  return Map.groupBy(inOrder, (code) => ERROR_STATUS[code]);
}

function accessErrors({ access }: Operation): readonly ErrorCode[] {
  switch (access.by) {
    case 'anybody':
      return [];
    case 'administrator':
      return ['TOKEN_MISSING', 'TOKEN_INVALID', 'NOT_FOUND'];
    case 'credential':
      return [
        ...(['TOKEN_MISSING', 'TOKEN_INVALID', 'TOKEN_EXPIRED', 'TOKEN_REVOKED'] as const),
        ...(['SCOPE_NOT_ALLOWED', 'IP_NOT_ALLOWED', 'TENANT_DISABLED', 'MUNICIPALITY_NOT_ALLOWED'] as const),
        'MUNICIPALITY_REQUIRED',
        'RATE_LIMIT_EXCEEDED',
      ];
    default:
      return access satisfies never;
  }
}

function bodyErrors({ body, query }: Operation): readonly ErrorCode[] {
  return [
    ...(body ? (['INVALID_JSON', 'PAYLOAD_TOO_LARGE', 'INVALID_CONTENT_TYPE'] as const) : []),
    ...(body || query ? (['INVALID_REQUEST'] as const) : []),
  ];
}

/** What a status says to a client developer. */
export const STATUS_WORDS: Record<Status, string> = {
  400: 'The body cannot be read. Nothing was verified or stored.',
  401: 'The call brought no credential, or one that does not pass. This is no answer about a vehicle.',
  403: 'The credential passes, but not for this. This is no answer about a vehicle.',
  404: 'What the call names is not there.',
  405: 'The path was asked with another method than the header `Allow` names.',
  413: 'The body is larger than this operation takes.',
  415: 'The body is of another media type, or not in UTF-8.',
  422: 'The request can be read, and is wrong. Asking again the same way will fail again.',
  429: 'The budget of the credential is spent. A client alone on its credential that waits `Retry-After` seconds passes.',
  500: 'Something failed on the side of the service. This is no answer about a vehicle, and no empty report: ask again.',
};

/** When a code is answered, in a client developer's words. */
export const CODE_WORDS: Record<ErrorCode, string> = {
  INVALID_JSON: 'the body is empty, no UTF-8, no JSON, or no JSON object',
  TOKEN_MISSING: 'no credential was sent',
  TOKEN_INVALID: 'mistyped, made up, of another scheme, or not known here',
  TOKEN_EXPIRED: 'the credential has expired; told only to who holds the right secret',
  TOKEN_REVOKED: 'the credential was revoked, or this pair was rotated away',
  SCOPE_NOT_ALLOWED: 'the credential has not the scope of this operation',
  IP_NOT_ALLOWED: 'the credential does not admit calls from this address',
  TENANT_DISABLED: 'the tenant of the credential is disabled',
  MUNICIPALITY_NOT_ALLOWED:
    'the municipality is unknown, inactive, or not among the credential’s: one answer for all three',
  SERVICE_DISABLED: 'the municipality has this operation switched off',
  NOT_FOUND: 'nothing is known by this name; every path of the administration where none is set up',
  AREA_NOT_FOUND: 'the municipality has no such area, or an inactive one',
  SOURCE_NOT_FOUND: 'the municipality has no such source, or an inactive one',
  NO_ACTIVE_FACILITIES: 'facilities were asked for, and the municipality has no active one',
  METHOD_NOT_ALLOWED: 'the method is not one of this path',
  PAYLOAD_TOO_LARGE: 'the body is too large, announced or not',
  INVALID_CONTENT_TYPE: 'another media type, or another charset than UTF-8',
  INVALID_REQUEST: 'a field is missing, of the wrong type or form: `details.issues` names each',
  INVALID_PLATE:
    'the plate is blank, has more than 15 letters and digits, or has a character that no plate can have',
  CHECKED_AT_IN_FUTURE: '`checked_at` is more than 5 seconds ahead',
  CHECKED_AT_OUT_OF_RANGE: '`checked_at` lies further back than the credential may ask',
  AREA_CODE_REQUIRED: 'an `entry` or `exit` without `area_code`',
  MUNICIPALITY_REQUIRED: 'the credential has more than one active municipality, and the call names none',
  FACILITY_REQUIRED: 'an `entry` or `exit` with an area that is no active facility of the municipality',
  RATE_LIMIT_EXCEEDED: 'too many calls within the credential’s window',
  TEMPORARY_ERROR: 'a failure of the service, of whatever kind',
};
