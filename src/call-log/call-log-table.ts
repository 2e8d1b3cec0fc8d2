import type { CallRecord, WholeCall } from './call-record.ts';

/** Any number of rows in one statement and one parameter. */
const INSERT = `
insert into call_log
  (request_id, at, operation, credential_id, tenant, municipality_code, address, http_status, outcome, duration_ms,
    request, response)
select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7,
  value ->> 8, value ->> 9, value ->> 10, value ->> 11
from json_each(?)
where true
on conflict (request_id) do nothing`;

/** Writes the rows of finished calls, with both bodies where they are known. A row that is there already stays as it is. */
export async function insertCalls(db: D1Database, calls: readonly (CallRecord | WholeCall)[]): Promise<void> {
  const rows = calls.map((call) => [
    call.requestId,
    call.at,
    call.operation,
    call.credentialId,
    call.tenant,
    call.municipalityCode,
    call.address,
    call.httpStatus,
    call.outcome,
    call.durationMs,
    // Left out, they are null.
    ...('request' in call ? [call.request, call.response] : []),
  ]);
  await db.prepare(INSERT).bind(JSON.stringify(rows)).run();
}
