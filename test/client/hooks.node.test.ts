import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../clients/client/index.ts';
import { error, healthy, REQUEST_ID, reset, ScriptedService } from './scripted-service.ts';

const TOKEN = 'a-token';
let service: ScriptedService;

beforeAll(async () => {
  service = await ScriptedService.start();
});
afterAll(() => service.stop());

describe('Hooks', () => {
  it('hear of every request, response and retry, and of no plate and no token', async () => {
    service.script(
      reset,
      error(500, 'TEMPORARY_ERROR'),
      error(422, 'INVALID_PLATE', { 'X-Request-Id': REQUEST_ID }),
    );
    const heard: [string, object][] = [];
    const hooked = createClient({
      ...{ baseUrl: service.address, token: TOKEN },
      onRequest: (event) => heard.push(['request', event]),
      onResponse: (event) => heard.push(['response', event]),
      onRetry: (event) => heard.push(['retry', event]),
    });
    await hooked.checkPlate({ plate: 'AB123CD' });
    const about = { operation: 'checkPlate', method: 'POST', path: '/api/v2/parking-entitlements/search' };
    expect(heard).toEqual([
      ['request', { ...about, attempt: 1 }],
      [
        'retry',
        { ...about, attempt: 1, failure: 'unavailable', code: 'NETWORK_ERROR', pauseMs: expect.any(Number) },
      ],
      ['request', { ...about, attempt: 2 }],
      ['response', { ...about, attempt: 2, status: 500, requestId: null, tookMs: expect.any(Number) }],
      [
        'retry',
        {
          ...about,
          attempt: 2,
          failure: 'unavailable',
          code: 'TEMPORARY_ERROR',
          pauseMs: expect.any(Number),
        },
      ],
      ['request', { ...about, attempt: 3 }],
      ['response', { ...about, attempt: 3, status: 422, requestId: REQUEST_ID, tookMs: expect.any(Number) }],
    ]);
    expect(JSON.stringify(heard)).not.toMatch(/AB123CD|a-token/);
  });

  it('name a path by its parameters, not by what stands in their place', async () => {
    service.script(error(404, 'NOT_FOUND'));
    const paths: string[] = [];
    const hooked = createClient({
      ...{ baseUrl: service.address, token: TOKEN },
      onRequest: ({ path }) => paths.push(path),
    });
    await hooked.getEntitlementListPage({ area_code: 'P1', cursor: 'secret' });
    expect(paths).toEqual(['/api/v2/facilities/{area_code}/entitlement-list']);
  });

  it('that throw end no call', async () => {
    service.script(healthy);
    const onRequest = () => {
      throw new Error('no');
    };
    expect(await createClient({ baseUrl: service.address, onRequest }).getHealth()).toMatchObject({
      ok: true,
    });
  });
});
