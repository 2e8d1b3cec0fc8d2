import { beforeAll, describe, expect, it } from 'vitest';
import { issueCredential } from '../support/credential.ts';
import { databaseDouble, objectsDouble, snapshotsDouble, writesCallLog } from '../support/doubles.ts';
import { CITY, seed } from '../support/seed.ts';
import { runCron, Service } from '../support/service.ts';

const CHECK = '/api/v2/parking-entitlements/search';
const CHECK_V1 = '/api/v1/parking/check-plate';
const OPTIONS = '/api/v2/parking-meters/subscription-options';
const REPORT = '/api/v2/parking/reports/active-by-area';

beforeAll(async () => {
  await seed(CITY);
  await runCron('* * * * *');
});

type Binding = 'object' | 'database' | 'KV';

/**
 * A service that has not answered any call, with its calls of bindings in their order. Neither the object nor what is
 * read with it answers before both have been asked, for as long as a call waits for them.
 */
function freshService(beside: Binding) {
  const asked: Binding[] = [];
  const answered: Binding[] = [];
  const bothAsked = Promise.withResolvers<void>();
  const call = async (binding: Binding, run: () => Promise<unknown>) => {
    asked.push(binding);
    if (asked.includes('object') && asked.includes(beside)) {
      bothAsked.resolve();
    }
    await bothAsked.promise;
    const result = await run();
    answered.push(binding);
    return result;
  };
  const service = new Service({
    CREDENTIALS: objectsDouble((run) => call('object', run)),
    DB: databaseDouble({ around: (run, sql) => (writesCallLog(sql) ? run() : call('database', run)) }),
    SNAPSHOTS: snapshotsDouble((run) => call('KV', run)),
  });
  return { service, asked, answered };
}

const ROMA = { municipality_code: 'H501' };

describe('The first call of an isolate', () => {
  it.each<[string, string, object, Binding]>([
    ['a check', CHECK, { plate: 'A', ...ROMA }, 'database'],
    ['a gate entry', CHECK, { plate: 'A', area_code: 'P1', event: 'entry', ...ROMA }, 'database'],
    ['a V1 check', CHECK_V1, { plate: 'A', ...ROMA }, 'database'],
    ['an options query', OPTIONS, { plate: 'A', ...ROMA }, 'database'],
    ['a report', REPORT, ROMA, 'KV'],
  ])('if it is %s, asks the object once and reads once, side by side', async (_, path, body, beside) => {
    const { service, asked, answered } = freshService(beside);
    const { headers } = await issueCredential();
    const answer = await service.post(path, body, headers);
    expect(answer.status).toBe(200);
    expect(asked.toSorted()).toEqual([beside, 'object'].toSorted());
    expect(answered).toHaveLength(2);
  });
});
