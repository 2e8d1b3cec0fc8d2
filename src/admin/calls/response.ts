import * as z from 'zod';
import type { CallRow } from './calls-table.ts';

/** A call as the log keeps it. `request` and `response` are whole for the options query, null for all others. */
export const callFields = z.object({
  request_id: z.string(),
  at: z.iso.datetime().describe('When the call began; UTC.'),
  operation: z.string(),
  credential_id: z.string().nullable(),
  tenant: z.string().nullable(),
  municipality_code: z.string().nullable(),
  address: z.string().nullable(),
  http_status: z.int(),
  outcome: z.string().describe("The error's code, else the operation's result, else OK."),
  duration_ms: z.int(),
  request: z.json(),
  response: z.json(),
});
export const callAnswer = z.object({ call: callFields });

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
    request: parsed(row.request),
    response: parsed(row.response),
  };
}

/** A body that the client sent without being JSON was kept as the text that it is. */
function parsed(text: string | null): z.infer<typeof callFields>['request'] {
  if (text === null) {
    return null;
  }
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
