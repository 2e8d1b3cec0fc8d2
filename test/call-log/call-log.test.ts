import { env } from 'cloudflare:workers';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { databaseDouble, writesCallLog } from '../support/doubles.ts';
import { CITY, seed } from '../support/seed.ts';
import { bearer, Service } from '../support/service.ts';

const PATH = '/api/v2/parking-entitlements/search';
let credential: TestCredential;

beforeAll(async () => {
  await seed(CITY);
  credential = await issueCredential();
});
beforeEach(() =>
  env.DB.prepare('delete from calls')
    .run()
    .then(() => undefined),
);
afterEach(() => vi.restoreAllMocks());

const rows = async () => (await env.DB.prepare('select * from logged_calls').all()).results;
const sent = (body: unknown, headers: Record<string, string> = {}) => ({
  method: 'POST',
  body,
  headers: { ...credential.headers, ...headers },
});

describe('The call log', () => {
  it('leads from a request id to the call', async () => {
    const before = Date.now();
    const answer = await new Service().settle(PATH, sent({ plate: 'A', area_code: 'P1', event: 'entry' }));
    const [row, ...others] = await rows();
    expect(others).toEqual([]);
    expect(row).toEqual({
      request_id: answer.body.request_id,
      at: expect.any(Number),
      operation: 'plate_check',
      credential_id: credential.credentialId,
      tenant: 'acme',
      municipality_code: 'H501',
      address: '203.0.113.7',
      http_status: 200,
      outcome: 'NO_VALID_FACILITY_ENTITLEMENT',
      duration_ms: expect.any(Number),
      action: null,
      target: null,
      officer_reference: null,
      request: null,
      response: null,
      plate_digest: expect.any(String),
    });
    expect(row?.at).toBeGreaterThanOrEqual(before);
  });

  it('says OK of a V1 check in a facility, for V1 knows no gates', async () => {
    await new Service().settle('/api/v1/parking/check-plate', sent({ plate: 'A', area_code: 'P1' }));
    expect(await rows()).toMatchObject([{ operation: 'plate_check_v1', outcome: 'OK' }]);
  });

  it.each([
    ['a bad body', 'INVALID_JSON', async () => sent('{', { 'Content-Type': 'application/json' })],
    ['a bad field', 'INVALID_PLATE', async () => sent({ plate: '' })],
  ])('has %s, with the credential and the code', async (_, outcome, call) => {
    await new Service().settle(PATH, await call());
    expect(await rows()).toMatchObject([{ outcome, credential_id: expect.any(String), tenant: 'acme' }]);
  });

  it('names the municipality also of a call that is refused for another reason', async () => {
    await new Service().settle(PATH, sent({ plate: 'A', area_code: 'NONE' }));
    expect(await rows()).toMatchObject([{ outcome: 'AREA_NOT_FOUND', municipality_code: 'H501' }]);
  });

  it('has a failure of ours', async () => {
    const DB = databaseDouble({
      around: (run, sql) => (writesCallLog(sql) ? run() : Promise.reject(new Error('D1 is away'))),
    });
    await new Service({ DB }).settle(PATH, sent({ plate: 'A' }));
    expect(await rows()).toMatchObject([{ outcome: 'TEMPORARY_ERROR', http_status: 500 }]);
  });

  it('leaves what strangers could flood it with to the structured log', async () => {
    const log = vi.spyOn(console, 'log');
    const service = new Service();
    const { headers } = await issueCredential({ rateLimit: 1 });
    await service.settle(PATH, sent({ plate: 'A' }, { Authorization: '' }));
    await service.settle(PATH, sent({ plate: 'A' }, bearer('x')));
    await service.settle(`${PATH}/x`, sent({ plate: 'A' }));
    await service.settle(PATH);
    await service.settle('/health');
    await service.settle(PATH, sent({ plate: 'A' }, headers));
    await service.settle(PATH, sent({ plate: 'A' }, headers));
    expect(await rows()).toMatchObject([{ outcome: 'OK' }]);
    const lines = log.mock.calls.map(([line]) => JSON.parse(String(line)));
    expect(lines.map(({ event, outcome }) => `${event} ${outcome}`)).toEqual(
      [
        'TOKEN_MISSING',
        'TOKEN_INVALID',
        'NOT_FOUND',
        'METHOD_NOT_ALLOWED',
        'OK',
        'OK',
        'RATE_LIMIT_EXCEEDED',
      ].map((outcome) => `call ${outcome}`),
    );
  });

  it('holds no token and no plate, in its rows or its lines', async () => {
    const log = vi.spyOn(console, 'log');
    await new Service().settle(
      `${PATH}?token=${credential.accessToken}`,
      sent(
        { plate: 'SECRET1', municipality_code: credential.accessToken },
        { 'X-Api-Key': credential.apiKey },
      ),
    );
    const written = JSON.stringify([await rows(), log.mock.calls]);
    expect(written).toContain('MUNICIPALITY_NOT_ALLOWED');
    expect(written).not.toMatch(/pev_|SECRET1/);
  });
});

describe('The writing of the call log', () => {
  /** Calls that come in while the first one's row waits for company. */
  async function underLoad(count: number, DB: D1Database) {
    const service = new Service({ DB }, 200);
    const calls = Array.from({ length: count }, () => service.settle(PATH, sent({ plate: 'A' })));
    return (await Promise.all(calls)).map(({ status }) => status);
  }

  it('costs one D1 write for many calls', async () => {
    let writes = 0;
    const DB = databaseDouble({
      around: (run, sql) => {
        writes += writesCallLog(sql) ? 1 : 0;
        return run();
      },
    });
    await underLoad(60, DB);
    expect(writes).toBe(1);
    expect(await rows()).toHaveLength(60);
  });

  it('is tried twice, and one that fails for good fails no answer: the lines remain', async () => {
    const error = vi.spyOn(console, 'error');
    let writes = 0;
    const DB = databaseDouble({
      around: (run, sql) => {
        if (!writesCallLog(sql)) {
          return run();
        }
        writes += 1;
        return Promise.reject(new Error('D1 is away'));
      },
    });
    expect(await underLoad(3, DB)).toEqual([200, 200, 200]);
    expect(writes).toBe(2);
    expect(await rows()).toEqual([]);
    expect(JSON.parse(String(error.mock.calls[0]?.[0]))).toMatchObject({ event: 'call_log_lost' });
  });
});
