import { beforeAll, describe, expect, it } from 'vitest';
import { issueCredential } from '../support/credential.ts';
import { CITY, seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';

const REPORT = '/api/v2/parking/reports/active-by-area';
const CHECK = '/api/v2/parking-entitlements/search';
const V1 = '/api/v1/parking/check-plate';
const service = new Service();

beforeAll(() => seed(CITY));

describe('The budget of reports', () => {
  it('is that of the plate check and of V1', async () => {
    const { headers } = await issueCredential({ rateLimit: 4 });
    const call = (path: string) => service.post(path, path === REPORT ? {} : { plate: 'A' }, headers);
    const left: (string | null)[] = [];
    for (const path of [REPORT, CHECK, V1, REPORT]) {
      const answer = await call(path);
      expect(answer.status).toBe(200);
      left.push(/r=(\d+)/.exec(answer.headers.get('RateLimit') ?? '')?.[1] ?? null);
    }
    expect(left).toEqual(['3', '2', '1', '0']);
    for (const path of [REPORT, CHECK, V1]) expect((await call(path)).status).toBe(429);
  });

  it('is used up by refused reports too', async () => {
    const { headers } = await issueCredential({ rateLimit: 2 });
    expect((await service.post(REPORT, { source_id: 99 }, headers)).status).toBe(404);
    expect((await service.post(REPORT, { plate: 'A' }, headers)).status).toBe(422);
    expect((await service.post(CHECK, { plate: 'A' }, headers)).status).toBe(429);
  });
});
