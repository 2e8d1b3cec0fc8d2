import * as z from 'zod';
import { CODE_LENGTH, NAME_LENGTH } from '../db/schema/columns.ts';
import type { callLog } from '../db/schema/index.ts';
import { code, count, utcDateTime } from '../http/response-fields.ts';
import { MAX_TARGET_LENGTH } from './trail.ts';

/** A call as it is logged. `request` and `response` are null unless the call was an options query. */
export const callFields = z.object({
  request_id: z.uuid(),
  at: utcDateTime,
  operation: z.string().max(40),
  credential_id: z.string().max(CODE_LENGTH).nullable(),
  tenant: code.nullable(),
  municipality_code: code.nullable(),
  address: z.string().max(NAME_LENGTH).nullable(),
  http_status: z.int().min(200).max(599),
  outcome: z.string().max(80),
  duration_ms: count,
  action: z.string().max(40).nullable(),
  target: z.string().max(MAX_TARGET_LENGTH).nullable(),
  request: z.unknown(),
  response: z.unknown(),
});
/** A call as the table has it. */
export type CallRow = typeof callLog.$inferSelect;

export function presentCall(row: CallRow): z.infer<typeof callFields> {
  return {
    request_id: row.requestId,
    at: new Date(row.at).toISOString(),
    operation: row.operation,
    credential_id: row.credentialId,
    tenant: row.tenant,
    municipality_code: row.municipalityCode,
    address: row.address,
    http_status: row.httpStatus,
    outcome: row.outcome,
    duration_ms: row.durationMs,
    action: row.action,
    target: row.target,
    request: parsed(row.request),
    response: parsed(row.response),
  };
}

/** White space outside the strings of a JSON text. The strings are matched as well, to be kept. */
const BLANKS = /("[^"\\]*(?:\\[\s\S][^"\\]*)*"?)|\s+/g;

/** Writing JSON takes a frame of the stack for each level. No body that anybody means has so many. */
const MOST_LEVELS = 100;

/**
 * A logged body as the JSON object that it was. It stays a text if it was no JSON object, if it is nested very deep, or if
 * parsing it would lose something (a number with too many digits, a repeated property).
 */
function parsed(text: string | null): z.infer<typeof callFields>['request'] {
  if (text === null || isDeep(text)) {
    return text;
  }
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null;
    return isObject && JSON.stringify(value) === text.replace(BLANKS, '$1') ? value : text;
  } catch {
    return text;
  }
}

/** Whether a JSON text has too many levels. Each of its characters is looked at once. */
function isDeep(text: string): boolean {
  let levels = 0;
  let isInString = false;
  for (let at = 0; at < text.length && levels <= MOST_LEVELS; at += 1) {
    const character = text[at];
    if (isInString) {
      isInString = character !== '"';
      at += character === '\\' ? 1 : 0;
    } else if (character === '{' || character === '[') {
      levels += 1;
    } else if (character === '}' || character === ']') {
      levels -= 1;
    } else {
      isInString = character === '"';
    }
  }
  return levels > MOST_LEVELS;
}
