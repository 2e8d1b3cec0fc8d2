import type * as z from 'zod';
import { ENVELOPE, ENVELOPE_WORDS, inEnvelope, REQUEST_ID } from '../../openapi/envelope.ts';
import { describe, type FeatureDescription } from '../../openapi/parts.ts';
import { input, output } from '../../openapi/words.ts';
import { callPath, getCall } from './operation.ts';
import { callAnswer, callFields } from './response.ts';

export const CALL = output('Call', callFields, 'A call, as the log keeps it. No token is in it.', {
  request_id: 'The id of that call.',
  at: 'When it began. In UTC.',
  operation:
    '`plate_check`, `plate_check_v1`, `subscription_options`, `active_by_area`, `import_sessions`, `import_subscriptions` or `admin`.',
  credential_id: 'The credential, once its secret had proven right.',
  tenant:
    'The code of its tenant; of an administrator’s write, that of the tenant it is about, where it is one.',
  municipality_code:
    'The municipality, once it was chosen; of an administrator’s write, the one that it is about, where it is one.',
  address: 'The client’s address.',
  http_status: 'How it was answered.',
  outcome: 'The error’s code, else the options’ `result_code` or the gate’s `access_reason_code`, else `OK`.',
  duration_ms: 'How long it took.',
  action:
    'What an administrator’s write does: `configuration.put`, `credential.issue`, `credential.change`, `credential.revoke`, `credential.rotate` or `credential.reconcile`. Null for every other call.',
  target:
    'What it was done to: the credential’s id, or the codes of the document’s municipalities (of its tenants, where it names no municipality), with commas between. Of a long list the first 500 characters, and how many more there are: `H501,L219,+4998`. Null where none was named, and for every other call.',
  request:
    'The whole body of an options query, tokens masked: as an object, or as the text that it was where it was none. Null for every other operation.',
  response: 'The whole answer of an options query. Null for every other operation.',
});

const PATH = input('CallPath', callPath, 'Which call.', {
  request_id: 'The call’s `request_id`.',
});

const RESPONSE = output('CallResponse', inEnvelope(callAnswer), 'What became of a call.', {
  ...ENVELOPE_WORDS,
  request_id: 'The id of this look-up, not that of the call.',
  call: 'The call.',
});

const LOOKED_UP = 'c2a1c8f4-5a0e-4f8e-9a53-2f6c7d1e0b94';

export const DESCRIPTION: FeatureDescription = {
  parts: [CALL],
  operations: [
    describe(getCall, {
      section: 'Administration',
      summary: 'Look a call up',
      words:
        'What became of the call with this `request_id`. Every write of the administrator is among them, with what it did to what; the administrator’s reads are not. Calls are there within seconds, until their retention is over; what strangers can flood the log with (401 missing or invalid, unknown paths, 405, 429) is not.',
      parameters: [{ in: 'path', component: PATH, examples: { request_id: LOOKED_UP } }],
      answer: {
        words: 'The call.',
        component: RESPONSE,
        examples: {
          gate: {
            summary: 'A gate’s refusal',
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
