import { env } from 'cloudflare:workers';
import { beforeAll, expect, it } from 'vitest';
import { issueCredential } from '../support/credential.ts';
import { CITY, seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';

beforeAll(() => seed(CITY));

it('Credentials’ objects are sought in the jurisdiction that is set, and anywhere without one', async () => {
  const asked: string[] = [];
  // The local runtime knows no jurisdictions: the double answers with the objects themselves.
  const CREDENTIALS = new Proxy(env.CREDENTIALS, {
    get: (target, name) => {
      if (name === 'jurisdiction') {
        return (jurisdiction: string) => {
          asked.push(jurisdiction);
          return target;
        };
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const { headers } = await issueCredential();
  const check = (service: Service) => service.post('/api/v2/parking/check-plate', { plate: 'A' }, headers);
  expect((await check(new Service({ CREDENTIALS, JURISDICTION: 'eu' }))).status).toBe(200);
  expect(asked).toEqual(['eu']);
  expect((await check(new Service({ CREDENTIALS }))).status).toBe(200);
  expect(asked).toEqual(['eu']);
});
