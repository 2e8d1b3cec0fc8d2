import {
  change,
  getOwnCredential,
  issue,
  list,
  revoke,
  rotate,
} from '../../../../src/office/credentials/contract.ts';
import { type DescribedOperation, describe } from '../openapi/parts.ts';
import { CITY, CREDENTIAL, FACILITY, TENANT } from '../samples.ts';

const BARRIER = { name: 'Barrier Bolzano', areas: [FACILITY.code], source_code: null };

const parameters = { credential_id: CREDENTIAL };

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe('Administration', issue, {
    summary: 'Issue a credential',
    words: 'Creates an access token and an API key, which are shown only once.',
    request: {
      tenant: TENANT,
      name: 'Barrier Bolzano',
      scopes: ['plate_check'],
      municipalities: [CITY.code],
      areas: [FACILITY.code],
      ip_allowlist: ['203.0.113.0/24'],
    },
    answer: BARRIER,
  }),
  describe('Administration', list, {
    summary: 'List credentials',
    words: 'One page at a time, in the order of issue, revoked ones included. No secrets are shown.',
    parameters: { tenant: TENANT, municipality_code: CITY.code, limit: 50 },
    answer: { credentials: [BARRIER] },
  }),
  describe('Administration', change, {
    summary: 'Change a credential',
    words:
      'Applies to every call that starts after the answer, wherever it arrives. After a 500, the change may hold already: send it again. A revoked credential cannot be changed. An empty object has its row in the database written again, of a revoked one too: for use after the database was restored to an earlier state.',
    parameters,
    request: { rate_limit: { limit: 600, window_seconds: 60 }, ip_allowlist: null },
    answer: { ...BARRIER, rate_limit: { limit: 600 }, ip_allowlist: null },
  }),
  describe('Administration', revoke, {
    summary: 'Revoke a credential for good',
    words:
      'Applies to every call that starts after the answer. Repeating it changes nothing. After a 500, it may hold already: send it again.',
    parameters,
    request: {},
    answer: { ...BARRIER, status: 'revoked', revoked_at: '2026-03-07T16:50:00.000Z' },
  }),
  describe('Administration', rotate, {
    summary: 'Give a credential a new token and key',
    words: 'The old pair stays valid for `overlap_seconds`. After that, it gets `TOKEN_REVOKED`.',
    parameters,
    request: { overlap_seconds: 86_400 },
    answer: { ...BARRIER, overlap_ends_at: '2026-03-08T16:44:12.000Z' },
  }),
  describe('Service', getOwnCredential, {
    summary: 'Get the credential that calls',
    words: 'For the set-up of a device: its tenant, and what it may do.',
    answer: { credential: BARRIER },
  }),
];
