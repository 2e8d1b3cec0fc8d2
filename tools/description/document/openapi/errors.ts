import { ERROR_STATUS, type ErrorCode } from '../../../../src/base/errors/error-codes.ts';
import { type Contract, takesOfficer } from '../../../../src/serving/contract.ts';

export type Status = (typeof ERROR_STATUS)[ErrorCode];

/** Every error code that an operation may answer with, by status. */
export function errorsOf(operation: Contract): ReadonlyMap<Status, readonly ErrorCode[]> {
  const codes = new Set<ErrorCode>([
    ...accessErrors(operation),
    ...bodyErrors(operation),
    ...(operation.errors ?? []),
    'METHOD_NOT_ALLOWED',
    'TEMPORARY_ERROR',
  ]);
  const inOrder = (Object.keys(ERROR_STATUS) as ErrorCode[]).filter((code) => codes.has(code));
  return Map.groupBy(inOrder, (code) => ERROR_STATUS[code]);
}

function accessErrors({ access }: Contract): readonly ErrorCode[] {
  if (access.by === 'anybody') return [];
  if (access.by === 'administrator') {
    return access.office === 'nothing'
      ? [...TOKEN_ERRORS, 'SCOPE_NOT_ALLOWED']
      : [...TOKEN_ERRORS, 'SCOPE_NOT_ALLOWED', 'TENANT_DISABLED', 'RATE_LIMIT_EXCEEDED'];
  }
  const errors = [...TOKEN_ERRORS, 'TENANT_DISABLED', 'RATE_LIMIT_EXCEEDED'] as const;
  // Operations for every credential are about no municipality.
  if (access.scope === null) return errors;
  return [...errors, 'SCOPE_NOT_ALLOWED', 'MUNICIPALITY_NOT_ALLOWED', 'MUNICIPALITY_REQUIRED'];
}

const TOKEN_ERRORS = [
  ...(['TOKEN_MISSING', 'TOKEN_INVALID', 'TOKEN_EXPIRED', 'TOKEN_REVOKED'] as const),
  'IP_NOT_ALLOWED',
] as const;

function bodyErrors(operation: Contract): readonly ErrorCode[] {
  if (operation.body) return ['INVALID_JSON', 'PAYLOAD_TOO_LARGE', 'INVALID_CONTENT_TYPE', 'INVALID_REQUEST'];
  return operation.query || takesOfficer(operation) ? ['INVALID_REQUEST'] : [];
}

/** The meaning of each status, for client developers. */
export const STATUS_WORDS: Record<Status, string> = {
  400: 'The body cannot be read. Nothing was verified or stored.',
  401: 'The call has no credential, or one that is not accepted. This says nothing about a vehicle.',
  403: 'The credential is accepted, but does not allow this call. This says nothing about a vehicle.',
  404: 'Something that the call names does not exist.',
  405: 'The path does not support this method. The header `Allow` lists those that it supports.',
  409: 'What is stored is not what the call expects: another payment, a newer configuration, or another part of a backup.',
  410: 'The cursor of the call has expired. This says nothing about a vehicle.',
  413: 'The body is larger than this operation accepts.',
  415: 'The body has another media type, or is not in UTF-8.',
  422: 'The request can be read, but is not valid. The same request will fail again.',
  429: 'The budget of the credential or a bound of the day is used up, or another import of the credential is under way. After `Retry-After` seconds the call is admitted, if no other client uses the credential.',
  500: 'The service failed. This says nothing about a vehicle, and is not an empty report: try again.',
  503: 'Not now. Send the same again after `Retry-After` seconds.',
};

/** When a code is answered, for client developers: where its text alone does not say it. */
export const CODE_WORDS: Partial<Record<ErrorCode, string>> = {
  TOKEN_INVALID: 'The token is mistyped, made up, of another scheme, or unknown.',
  TOKEN_EXPIRED: 'The credential has expired; only a caller with the correct secret learns it.',
  TOKEN_REVOKED: 'The credential was revoked, or this token was replaced by a rotation.',
  MUNICIPALITY_NOT_ALLOWED:
    'The municipality is unknown, inactive, or not one of the credential’s: the answer is the same for all three.',
  AREA_FORBIDDEN:
    'The credential is bound to other areas: the answer is the same whether or not this one exists.',
  TENANT_NOT_ALLOWED: 'An office names another tenant than its own, or one that does not exist.',
  NOT_FOUND: 'There is nothing with this name, or at this address.',
  CURSOR_GONE:
    'The cursor is too old, made up, of another token or facility, or from before the database was restored: take the full list.',
  PAYMENT_CONFLICT:
    'A payment with another plate, plan, amount or instant is stored under this `payment_id`: it is not the same payment.',
  RESTORE_CONFLICT:
    'The part is not the next one, or another backup is being restored: continue that, or discard the restore.',
  INVALID_CONTENT_TYPE: 'Another media type, or another charset than UTF-8.',
  INVALID_PLATE:
    'The plate is blank, has more than 15 letters and digits, or contains a character that cannot be part of a plate.',
  CHECKED_AT_IN_FUTURE: '`checked_at` is more than 5 seconds ahead.',
  CHECKED_AT_OUT_OF_RANGE:
    '`checked_at` is further in the past than the credential may look or data are kept, or not in the years 1970 to 9999.',
  KNOWN_AT_OUT_OF_RANGE:
    '`known_at` is more than 5 seconds in the future, before `known_since`, or further in the past than records are kept.',
  COLLECTED_AT_IN_FUTURE: '`collected_at`, or `reversed_at`, is more than 5 seconds ahead.',
  COLLECTED_AT_OUT_OF_RANGE: '`collected_at`, or `reversed_at`, is more than 400 days ago.',
  AREA_CODE_REQUIRED:
    'An `entry` or `exit` without `area_code`, or any check without it by a credential that is bound to areas.',
  MUNICIPALITY_REQUIRED:
    'The credential has more than one municipality, and the call names none. The report counts the active ones alone.',
  FACILITY_REQUIRED: 'An `entry` or `exit` with an area that is not an active facility of the municipality.',
  BUSY: 'Two other imports are under way: send the same again after `Retry-After` seconds.',
  NOT_READY: 'A part of the service does not work: `details.failing` names it.',
};
