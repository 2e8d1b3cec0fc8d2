import { env } from 'cloudflare:workers';
import { afterEach, beforeAll, beforeEach, expect, vi } from 'vitest';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { seed } from '../support/seed.ts';
import { ADMIN, Service } from '../support/service.ts';
import { NOW, OFFICE, PATH } from './support.ts';

const JSON_BODY = { 'Content-Type': 'application/json' };

interface Row {
  readonly outcome: string;
  readonly request: string | null;
  readonly response: string | null;
}

/** The office, a credential, and a call log that is empty before each test. The clock stands still. */
export function optionsLog() {
  const service = new Service();
  let credential: TestCredential;

  beforeAll(async () => {
    await seed(OFFICE);
    credential = await issueCredential();
  });

  beforeEach(async () => {
    await env.DB.prepare('delete from calls').run();
    vi.useFakeTimers({ toFake: ['Date'], now: NOW });
    return () => vi.useRealTimers();
  });
  afterEach(() => vi.restoreAllMocks());

  const rows = async () => (await env.DB.prepare('select * from logged_calls').all<Row>()).results;
  return {
    service,
    credential: () => credential,
    rows,
    /** The only row, at the moment of the answer: nothing that goes on after it has been waited for. */
    onlyRow: async () => {
      const [row, ...others] = await rows();
      expect(others).toEqual([]);
      return row ?? expect.fail('there is no row');
    },
    lookUp: async (requestId: unknown) =>
      (await service.call(`/api/v2/admin/calls/${String(requestId)}`, { headers: ADMIN })).body.call,
    post: (body: unknown, headers: Record<string, string> = credential.headers, to = service) =>
      to.call(PATH, { method: 'POST', body, headers: { ...JSON_BODY, ...headers } }),
    /** What the log says of a call that was answered with plans, its bodies apart. */
    loggedOffer: () => ({
      at: new Date(NOW).toISOString(),
      operation: 'subscription_options',
      credential_id: credential.credentialId,
      tenant: 'acme',
      municipality_code: 'H501',
      address: '203.0.113.7',
      http_status: 200,
      outcome: 'OPTIONS_AVAILABLE',
      duration_ms: expect.any(Number),
      action: null,
      target: null,
      officer_reference: null,
    }),
  };
}
