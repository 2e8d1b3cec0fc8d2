import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { City } from '../support/city.ts';
import { ADMIN } from '../support/service.ts';
import { NOW, OFFICE, PATH } from './support.ts';

const JSON_BODY = { 'Content-Type': 'application/json' };

interface Row {
  readonly outcome: string;
  readonly request: string | null;
  readonly response: string | null;
}

/** The office, and a call log that is empty before each test. The clock stands still. */
export function optionsLog() {
  const city = new City(OFFICE, { now: NOW });
  beforeEach(() =>
    env.DB.prepare('delete from calls')
      .run()
      .then(() => {}),
  );
  afterEach(() => vi.restoreAllMocks());

  const rows = async () => (await env.DB.prepare('select * from logged_calls').all<Row>()).results;
  return {
    city,
    rows,
    /** The only row, at the moment of the answer: nothing that goes on after it has been waited for. */
    onlyRow: async () => {
      const [row, ...others] = await rows();
      expect(others).toEqual([]);
      return row ?? expect.fail('there is no row');
    },
    lookUp: async (requestId: unknown) =>
      (await city.service.call(`/api/v2/admin/calls/${String(requestId)}`, { headers: ADMIN })).body.call,
    /** Waits for nothing behind the answer. */
    post: (body: unknown, headers: Record<string, string> = {}, to = city.service) =>
      to.post(PATH, body, { ...JSON_BODY, ...city.headers, ...headers }),
    /** What the log says of a call that was answered with plans, its bodies apart. */
    loggedOffer: () => ({
      at: new Date(NOW).toISOString(),
      operation: 'subscription_options',
      credential_id: city.credential.credentialId,
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
