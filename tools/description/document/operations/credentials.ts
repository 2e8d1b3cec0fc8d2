import type { CredentialFields, OwnFields } from '../../../../src/office/credentials/contract.ts';
import {
  change,
  getOwnCredential,
  issue,
  list,
  revoke,
  rotate,
} from '../../../../src/office/credentials/contract.ts';
import { CITY, FACILITY, TENANT } from '../examples/city.ts';
import { ENVELOPE } from '../examples/envelope.ts';
import { type DescribedOperation, describe, type Example } from '../openapi/parts.ts';

const ID = '5f0c1b7e9a3d4c2b8e6f0a1d';

const BARRIER: CredentialFields = {
  credential_id: ID,
  tenant: TENANT,
  name: 'Barrier Bolzano',
  status: 'active',
  scopes: ['plate_check'],
  municipalities: [CITY.code],
  ip_allowlist: ['203.0.113.0/24'],
  expires_at: null,
  rate_limit: { limit: 120, window_seconds: 60 },
  historical_days_allowed: 1,
  source_code: null,
  areas: [FACILITY.code],
  location: null,
  created_at: '2026-03-07T16:44:12.000Z',
  revoked_at: null,
  overlap_ends_at: null,
};

/** Has the right form, and is clearly not a real one. */
const exampleToken = (kind: string) => `pev_${kind}_${ID}_${'0'.repeat(64)}_${'0'.repeat(32)}`;
const PAIR = { access_token: exampleToken('at'), api_key: exampleToken('ak') };

const base = { section: 'Administration' } as const;
const one = { credential_id: ID } as const;

const body = (words: string, example: Example) => ({ words, examples: { example } });

const answer = (changed: Partial<CredentialFields>) => ({
  words: 'The credential as it is now.',
  example: { ...ENVELOPE, ...BARRIER, ...changed },
});

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe(issue, {
    ...base,
    summary: 'Issue a credential',
    words: 'Creates an access token and an API key, which are shown only once.',
    body: body('The new credential.', {
      summary: 'A barrier’s credential',
      value: {
        tenant: TENANT,
        name: 'Barrier Bolzano',
        scopes: ['plate_check'],
        municipalities: [CITY.code],
        areas: [FACILITY.code],
        ip_allowlist: ['203.0.113.0/24'],
      },
    }),
    answer: {
      words: 'The credential was issued.',
      example: { ...ENVELOPE, ...BARRIER, ...PAIR },
    },
  }),
  describe(list, {
    ...base,
    summary: 'List credentials',
    words: 'One page at a time, in the order of issue, revoked ones included. No secrets are shown.',
    parameters: { tenant: TENANT, municipality_code: CITY.code, limit: 50 },
    answer: {
      words: 'A page of credentials.',
      example: { ...ENVELOPE, credentials: [BARRIER], next_after: null },
    },
  }),
  describe(change, {
    ...base,
    summary: 'Change a credential',
    words:
      'Applies to every call that starts after the answer, wherever it arrives. After a 500, the change may hold already: send it again. A revoked credential cannot be changed. An empty object has its row in the database written again, of a revoked one too: for use after the database was restored to an earlier state.',
    parameters: one,
    body: body('The properties to change.', {
      summary: 'More calls, from anywhere',
      value: { rate_limit: { limit: 600, window_seconds: 60 }, ip_allowlist: null },
    }),
    answer: answer({ rate_limit: { limit: 600, window_seconds: 60 }, ip_allowlist: null }),
  }),
  describe(revoke, {
    ...base,
    summary: 'Revoke a credential for good',
    words:
      'Applies to every call that starts after the answer. Repeating it changes nothing. After a 500, it may hold already: send it again.',
    parameters: one,
    body: body('An empty object, or no body.', { summary: 'An empty object', value: {} }),
    answer: answer({ status: 'revoked', revoked_at: '2026-03-07T16:50:00.000Z' }),
  }),
  describe(rotate, {
    ...base,
    summary: 'Give a credential a new token and key',
    words: 'The old pair stays valid for `overlap_seconds`. After that, it gets `TOKEN_REVOKED`.',
    parameters: one,
    body: body('The options of the rotation.', {
      summary: 'With a day to update the fleet',
      value: { overlap_seconds: 86_400 },
    }),
    answer: {
      words: 'The credential with its new token and key.',
      example: { ...ENVELOPE, ...BARRIER, ...PAIR, overlap_ends_at: '2026-03-08T16:44:12.000Z' },
    },
  }),
  describe(getOwnCredential, {
    section: 'Service',
    summary: 'Get the credential that calls',
    words: 'For the set-up of a device: its tenant, and what it may do.',
    answer: {
      words: 'The credential.',
      example: {
        ...ENVELOPE,
        credential: {
          credential_id: ID,
          name: BARRIER.name,
          tenant: BARRIER.tenant,
          municipalities: BARRIER.municipalities,
          scopes: BARRIER.scopes,
          source_code: null,
          areas: BARRIER.areas,
          rate_limit: BARRIER.rate_limit,
          historical_days_allowed: 1,
          expires_at: null,
          location: null,
        },
      } satisfies OwnFields & typeof ENVELOPE,
    },
  }),
];
