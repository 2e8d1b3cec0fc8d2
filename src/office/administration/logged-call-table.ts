import { calls } from '../../storage/db/schema/index.ts';
import { uuidOf } from '../../storage/db/sql.ts';

/** The columns of a call that answers show, by their names there: all but its digest. */
export const LOGGED = {
  request_id: uuidOf(calls.id).as('request_id'),
  at: calls.at,
  operation: calls.operation,
  credential_id: calls.credentialId,
  tenant: calls.tenant,
  municipality_code: calls.municipalityCode,
  address: calls.address,
  http_status: calls.httpStatus,
  outcome: calls.outcome,
  duration_ms: calls.durationMs,
  action: calls.action,
  target: calls.target,
  officer_reference: calls.officerReference,
  request: calls.request,
  response: calls.response,
};
