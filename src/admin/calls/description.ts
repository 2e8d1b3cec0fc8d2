import type * as z from 'zod';
import { ENVELOPE, ENVELOPE_WORDS, inEnvelope, REQUEST_ID } from '../../openapi/envelope.ts';
import { describe, type FeatureDescription } from '../../openapi/parts.ts';
import { input, output } from '../../openapi/words.ts';
import { callFields } from '../logged-call.ts';
import { callPath, getCall } from './operation.ts';
import { callAnswer } from './response.ts';

export const CALL = output('Call', callFields, 'A call, as it was logged. It contains no token.', {
  request_id: 'The id of the call.',
  at: 'When it began, in UTC.',
  operation:
    '`plate_check`, `plate_check_v1`, `subscription_options`, `evidence`, `active_by_area`, `import_sessions`, `import_subscriptions`, `entitlement_list` or `admin`.',
  credential_id: 'The id of the credential, if its secret was correct; else null.',
  tenant:
    'The code of its tenant. For an administrator’s write: the tenant that it is about, if there is exactly one.',
  municipality_code:
    'The code of the municipality that the call was for, if that was determined. For an administrator’s write: the municipality that it is about, if there is exactly one.',
  address: 'The client’s address.',
  http_status: 'The HTTP status of the answer.',
  outcome:
    'The error code; else the `result_code` of an options query or the `access_reason_code` of a gate decision; else `OK`.',
  duration_ms: 'How long it took, in milliseconds.',
  action:
    'What an administrator’s write does: `configuration.put`, `credential.issue`, `credential.change`, `credential.revoke`, `credential.rotate`, `credential.reconcile`, `plate.export`, `plate.erase` or `municipality.move`. Null for every other call.',
  target:
    'What it was done to: the credential’s id, or the codes of the municipalities in the document (of its tenants, if it has no municipality), separated by commas. A long list is cut after 500 characters and ends with the number of further codes: `H501,L219,+4998`. Null if none was named, and for every other call.',
  request:
    'The whole body of an options query, with tokens masked: an object, or a text if the body was no JSON object. Null for every other operation.',
  response: 'The whole answer of an options query. Null for every other operation.',
});

const PATH = input('CallPath', callPath, 'Which call to look up.', {
  request_id: 'The call’s `request_id`.',
});

const RESPONSE = output('CallResponse', inEnvelope(callAnswer), 'The outcome of a call.', {
  ...ENVELOPE_WORDS,
  request_id: 'The id of this lookup, not of the call that was looked up.',
  call: 'The call.',
});

const LOOKED_UP = 'c2a1c8f4-5a0e-4f8e-9a53-2f6c7d1e0b94';

export const DESCRIPTION: FeatureDescription = {
  parts: [CALL],
  operations: [
    describe(getCall, {
      section: 'Administration',
      summary: 'Look up a call',
      words:
        'The outcome of the call with this `request_id`. It also finds every write of the administrator, with its action and target, but not the administrator’s reads. A call can be looked up within seconds, until its retention period ends. Calls that could be used to flood the log (401 missing or invalid, unknown paths, 405, 429) are not kept.',
      parameters: [{ in: 'path', component: PATH, examples: { request_id: LOOKED_UP } }],
      answer: {
        words: 'The call.',
        component: RESPONSE,
        examples: {
          gate: {
            summary: 'A gate decision: refused',
            value: {
              ...ENVELOPE,
              request_id: REQUEST_ID,
              call: {
                request_id: LOOKED_UP,
                at: '2026-03-07T16:44:12.000Z',
                operation: 'plate_check',
                credential_id: '5f0c1b7e9a3d4c2b8e6f0a1d',
                tenant: 'acme',
                municipality_code: 'H501',
                address: '203.0.113.7',
                http_status: 200,
                outcome: 'SESSION_EXPIRED',
                duration_ms: 14,
                action: null,
                target: null,
                request: null,
                response: null,
              } satisfies z.infer<typeof callFields>,
            },
          },
          revocation: {
            summary: 'A revocation by the administrator',
            value: {
              ...ENVELOPE,
              request_id: REQUEST_ID,
              call: {
                request_id: LOOKED_UP,
                at: '2026-03-07T16:44:12.000Z',
                operation: 'admin',
                credential_id: null,
                tenant: 'acme',
                municipality_code: 'H501',
                address: '203.0.113.7',
                http_status: 200,
                outcome: 'OK',
                duration_ms: 31,
                action: 'credential.revoke',
                target: '5f0c1b7e9a3d4c2b8e6f0a1d',
                request: null,
                response: null,
              } satisfies z.infer<typeof callFields>,
            },
          },
        },
      },
    }),
  ],
};
