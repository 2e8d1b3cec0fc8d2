import { QUERY_BODY } from '../../serving/http/body.ts';
import { operation } from '../../serving/pipeline/operation.ts';
import { evidenceRequest, evidenceResponse } from './contract.ts';
import { presentEvidence } from './present.ts';
import { evidenceReading, findEvidence } from './search.ts';

/** Finds the data about a plate as known when an officer asked, and as known today. */
export const searchEvidence = operation({
  id: 'searchEvidence',
  method: 'POST',
  path: '/api/v2/evidence/search',
  access: {
    by: 'credential',
    scope: 'evidence',
    budget: 'evidence',
    tokenHeaders: 'authorization_only',
    // A clerk can retry.
    whenObjectIsAway: 'fail',
  },
  deadlineMs: 5_000,
  body: { kind: 'json', schema: evidenceRequest, maxBytes: QUERY_BODY },
  reads: evidenceReading,
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
  handle: async ({ body }, context) => {
    const evidence = await findEvidence(body, context);
    return { answer: presentEvidence(evidence, context.now, context.language), plate: evidence.plate };
  },
});
