import { expect } from 'vitest';
import { DAY_MS } from '../../src/domain/instant.ts';
import { sessionLine, subscriptionLine } from '../../src/intake/imports/contract.ts';
import { configurationDocument } from '../../src/office/configuration/contract.ts';
import type { RightAnswer } from './right-answer.ts';

export const PLATE = 'AB123CD';
const NOW = Date.now();

const atGate: RightAnswer = {
  body: () => ({ plate: PLATE, area_code: 'P1', event: 'entry' }),
  right: { access_granted: true, has_valid_parking: true, has_valid_subscription: true },
  asksObject: true,
};

/** Of a new line; of one whose batch was stored again, since its answer was lost, `unchanged` counts it. */
const IMPORTED = { received: 1, rejected: 0 };

const EMPTY_BACKUP = [
  {
    ...{ type: 'backup', format: 1, schema: 0, backup_id: crypto.randomUUID(), part: 1, tenant: 'acme' },
    ...{ begun_at: new Date(NOW).toISOString(), municipality_code: 'H501', after: null },
    ...{ digest_keys: [], columns: {} },
  },
  { type: 'part', after: 'end', more: false },
]
  .map((line) => JSON.stringify(line))
  .join('\n');

/** By the operation's id. A day long past in what is imported, so that the report stays as it is. */
const RIGHT_ANSWERS: Readonly<Record<string, RightAnswer>> = {
  checkPlate: atGate,
  checkPlateAlias: atGate,
  checkPlateV1: {
    ...atGate,
    body: () => ({ plate: PLATE, area_code: 'P1' }),
    right: { has_valid_parking: true },
  },
  checkPatrol: {
    body: () => ({ checks: [{ id: '1', plate: PLATE, area_code: 'P1' }] }),
    right: {
      results: [expect.objectContaining({ id: '1', finding: 'entitled', has_valid_subscription: true })],
    },
    asksObject: true,
  },
  searchEvidence: {
    body: () => ({ plate: PLATE, at: new Date(NOW).toISOString(), area_code: 'P1', event: 'entry' }),
    right: {
      as_known_then: expect.objectContaining({ access_granted: true, has_valid_subscription: true }),
      as_known_now: expect.objectContaining({ access_granted: true, has_valid_subscription: true }),
      history_count: 2,
    },
    asksObject: true,
  },
  findSubscriptionOptions: {
    body: () => ({ plate: PLATE }),
    right: { result_code: 'OPTIONS_AVAILABLE', eligible: true, options_count: 1 },
    asksObject: true,
  },
  // Of a plate without a title: one that makes a period would change what the others find.
  recordPayment: {
    body: (serial) => ({
      ...{ payment_id: `P-${serial}`, plate: 'NEVER', codice_tariffa: '101', importo_eurocent: 2_500 },
      collected_at: new Date(NOW).toISOString(),
    }),
    right: { result_code: 'SUBSCRIPTION_NOT_FOUND', accepted: false, already_recorded: false },
    asksObject: true,
    writes: true,
    // That its key is taken shows when it is stored.
    writesWhenRefused: ['changes', 'payments'],
  },
  // There is nothing to reverse: `test/payments` does.
  reversePayment: {
    body: () => ({ payment_id: 'never', reversed_at: new Date(NOW).toISOString() }),
    right: { result_code: 'PAYMENT_NOT_FOUND', accepted: false },
    asksObject: true,
  },
  findPayments: {
    body: () => ({ payment_id: 'never' }),
    right: { payments: [], next: null },
    asksObject: true,
  },
  reportActiveByArea: {
    body: () => ({}),
    right: { totals: { active_now: 1 }, areas_count: 1 },
    asksObject: true,
  },
  listEntitlements: {
    path: { area_code: 'a facility' },
    allQuery: { municipality_code: 'H501', limit: '10' },
    right: {
      lines: expect.arrayContaining([
        expect.objectContaining({ type: 'list', mode: 'full', area_code: 'P1' }),
        expect.objectContaining({ type: 'entry', kind: 'session' }),
        expect.objectContaining({ type: 'entry', kind: 'subscription' }),
        expect.objectContaining({ type: 'end', more: false }),
      ]),
    },
    asksObject: true,
  },
  getOwnCredential: {
    right: { credential: { name: 'test', tenant: 'acme', municipalities: ['H501'], source_code: null } },
    asksObject: true,
  },
  listPublicMunicipalities: { right: { municipalities: [{ code: 'H501', name: 'Roma' }] } },
  getPublicOccupancy: {
    path: { code: 'a public municipality' },
    allQuery: { area_type: 'facility' },
    right: { municipality: { code: 'H501' }, areas: [{ code: 'P1', available_now: 299 }, { code: 'S1' }] },
  },
  getOccupancyFeatures: {
    path: { code: 'a public municipality' },
    allQuery: { area_type: 'street' },
    right: { type: 'FeatureCollection', data_quality: 'good', features: [] },
  },
  getParkingPublicationLight: {
    path: { code: 'a public municipality' },
    right: { parkingPublicationLight: { name: 'Roma', parkingSite: [] } },
  },
  importSessions: {
    query: { source_code: 'app1' },
    allQuery: { municipality_code: 'H501', source_code: 'app1' },
    // The lines before the place where a file breaks off, and a failed import for the source's freshness.
    writesWhenRefused: ['parking_sessions', 'imports', 'changes', 'rejected_plates'],
    body: (serial) =>
      JSON.stringify({
        session_id: `new ${serial}`,
        plate: 'LONGAGO',
        area_code: 'S1',
        starts_at: new Date(NOW - 10 * DAY_MS).toISOString(),
        ends_at: new Date(NOW - 9 * DAY_MS).toISOString(),
      }),
    right: IMPORTED,
    bodySchema: sessionLine,
    asksObject: true,
    slow: true,
    oneByOne: true,
    writes: true,
  },
  importSubscriptions: {
    allQuery: { municipality_code: 'H501' },
    writesWhenRefused: [
      ...['subscriptions', 'subscription_plates', 'past_subscription_plates'],
      ...['changes', 'rejected_plates'],
    ],
    body: (serial) =>
      JSON.stringify({
        subscription_number: `new ${serial}`,
        type: 'RES',
        plates: [{ plate: 'OTHER' }],
        approval: 'approved',
        areas: ['S1'],
        periods: [],
      }),
    right: IMPORTED,
    bodySchema: subscriptionLine,
    asksObject: true,
    slow: true,
    oneByOne: true,
    writes: true,
  },
  putConfiguration: {
    body: (serial) => ({
      municipalities: [{ code: 'H501', areas: [{ code: 'S1', capacity: 100 + serial }] }],
    }),
    right: { updated: 1, unchanged: 1 },
    bodySchema: configurationDocument,
    toOthersOffice: 'MUNICIPALITY_NOT_ALLOWED',
    writes: true,
    renewsLast: true,
  },
  getConfiguration: {
    query: { municipality_code: 'H501' },
    right: { configuration: { municipalities: [{ code: 'H501', plans: [{ codice_tariffa: '101' }] }] } },
    toOthersOffice: 'MUNICIPALITY_NOT_ALLOWED',
  },
  issueCredential: {
    body: () => ({ tenant: 'acme', name: 'new', scopes: ['report'], municipalities: ['H501'] }),
    right: { access_token: expect.stringMatching(/^pev_at_/) },
    toOthersOffice: 'TENANT_NOT_ALLOWED',
    asksObject: true,
    writes: true,
    showsTokens: true,
  },
  listCredentials: {
    allQuery: { tenant: 'acme', municipality_code: 'H501', limit: '2', after: 'CREDENTIAL' },
    toOthersOffice: [],
    right: { credentials: expect.arrayContaining([expect.objectContaining({ tenant: 'acme' })]) },
  },
  changeCredential: {
    path: { credential_id: 'a credential' },
    body: () => ({ name: 'changed' }),
    right: { name: 'changed' },
    toOthersOffice: 'NOT_FOUND',
    asksObject: true,
    writes: true,
    oneByOne: true,
  },
  revokeCredential: {
    path: { credential_id: 'a revoked credential' },
    right: { revoked_at: expect.any(String) },
    toOthersOffice: 'NOT_FOUND',
    asksObject: true,
    writes: true,
    oneByOne: true,
  },
  rotateCredential: {
    path: { credential_id: 'a credential' },
    body: () => ({}),
    right: { access_token: expect.stringMatching(/^pev_at_/) },
    toOthersOffice: 'NOT_FOUND',
    asksObject: true,
    writes: true,
    oneByOne: true,
    showsTokens: true,
  },
  exportPlate: {
    body: () => ({ tenant: 'acme', plate: PLATE }),
    toOthersOffice: 'TENANT_NOT_ALLOWED',
    // The plate's calls in a suite may be more than a page has.
    right: {
      sessions: [expect.objectContaining({ session_id: 'gate', plate: PLATE })],
      subscriptions: [expect.objectContaining({ subscription_number: 'N1' })],
    },
  },
  exportSubscription: {
    body: () => ({ municipality_code: 'H501', subscription_number: 'N1' }),
    toOthersOffice: 'MUNICIPALITY_NOT_ALLOWED',
    right: { subscription: expect.objectContaining({ subscription_number: 'N1' }) },
  },
  findPaymentsForOffice: {
    body: () => ({ municipality_code: 'H501', payment_id: 'never' }),
    toOthersOffice: 'MUNICIPALITY_NOT_ALLOWED',
    right: { payments: [], next: null },
  },
  // There is nothing to settle: `test/payments` does.
  settlePayment: {
    body: () => ({ municipality_code: 'H501', payment_id: 'never', outcome: 'refunded' }),
    toOthersOffice: 'MUNICIPALITY_NOT_ALLOWED',
    right: { error: { code: 'NOT_FOUND' } },
    status: 404,
  },
  // Nor anything to reverse.
  reversePaymentForOffice: {
    body: () => ({
      municipality_code: 'H501',
      payment_id: 'never',
      reversed_at: new Date(NOW).toISOString(),
    }),
    toOthersOffice: 'MUNICIPALITY_NOT_ALLOWED',
    right: { result_code: 'PAYMENT_NOT_FOUND', accepted: false },
  },
  erasePlate: {
    body: (serial) => ({ tenant: 'acme', plate: `NEVER${serial}` }),
    toOthersOffice: 'TENANT_NOT_ALLOWED',
    right: { erased: { sessions: 0, subscriptions: 0, history: 0, payments: 0, calls: 0 }, next: null },
    writes: true,
  },
  getCall: {
    path: { request_id: 'a call' },
    toOthersOffice: 'NOT_FOUND',
    right: { call: { operation: 'plate_check', outcome: 'OK' } },
  },
  // It is answered while the database is away, and says so.
  getStatus: { right: { version: expect.any(String), failing: [] }, asksDatabase: false },
  backUpMunicipality: {
    path: { code: 'a public municipality' },
    right: {
      lines: expect.arrayContaining([
        expect.objectContaining({ type: 'backup', municipality_code: 'H501', part: 1 }),
        // On a slow machine a part ends earlier.
        expect.objectContaining({ type: 'row' }),
        expect.objectContaining({ type: 'part', more: expect.any(Boolean) }),
      ]),
    },
  },
  // Nothing is restored over a city that is there: `test/backup` restores.
  restoreMunicipality: {
    path: { code: 'a public municipality' },
    body: () => EMPTY_BACKUP,
    query: { tenant: 'acme' },
    right: {
      error: { code: 'INVALID_REQUEST', details: { issues: [{ path: 'municipality_code' }] } },
    },
    status: 422,
    // The hostile requests also send DELETE to its path.
    writesWhenRefused: ['municipalities'],
  },
  discardRestore: {
    path: { code: 'a public municipality' },
    right: { error: { code: 'NOT_FOUND' } },
    status: 404,
    // Its update finds only a municipality that is being restored.
    writesWhenRefused: ['municipalities'],
  },
  getDescription: { right: { openapi: '3.1.0' } },
  getHealth: { right: { success: true } },
  getReady: { right: { ready: true } },
};

/** @throws when a new operation has no entry yet */
export function rightAnswerOf({ id }: { readonly id: string }): RightAnswer {
  return RIGHT_ANSWERS[id] ?? expect.fail(`test/suites/right-answers.ts has no entry of the operation ${id}`);
}
