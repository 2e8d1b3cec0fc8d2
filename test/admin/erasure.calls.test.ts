import { beforeEach, describe, expect, it } from 'vitest';
import { withoutPlate } from '../../src/admin/plates/masked-plate.ts';
import { normalizePlate } from '../../src/domain/plate.ts';
import { freshDatabase } from '../imports/fresh-database.ts';
import { issueCredential } from '../support/credential.ts';
import { objectsDouble } from '../support/doubles.ts';
import { CITY, RESIDENTS } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { eraseAll, NOTHING, spells, textsOfAllTables } from './plates-support.ts';

const PLATE = 'ERASE1';
const OPTIONS = '/api/v2/parking-meters/subscription-options';
const service = new Service();
let headers: Record<string, string>;

const holding = async () => (await textsOfAllTables()).filter(([, kept]) => spells(kept, PLATE));

beforeEach(async () => {
  await freshDatabase({ ...CITY, subscriptionTypes: [RESIDENTS] });
  ({ headers } = await issueCredential());
});

describe('An erasure masks whole calls', () => {
  it('that failed before it was known whose they were', async () => {
    const CREDENTIALS = objectsDouble(() => Promise.reject(new Error('the object is away')));
    const query = { method: 'POST', body: { plate: PLATE, terminal_code: 'T1' }, headers };
    expect((await new Service({ CREDENTIALS }).settle(OPTIONS, query)).status).toBe(500);
    expect((await service.settle(OPTIONS, query)).status).toBe(200);
    expect((await holding()).map(([where]) => where)).toContain('call_log.request');
    expect(await eraseAll(service, PLATE)).toEqual({ ...NOTHING, calls: 2 });
    expect(await holding()).toEqual([]);
    expect(await eraseAll(service, PLATE)).toEqual(NOTHING);
  });

  it.each([
    ['AABB', 'AB', '***'],
    ['x AAB B-A B', 'AB', 'x ***-***'],
    ['ABAB', 'ABAB', '***'],
    ['AAA', 'AA', '***A'],
    ['{"plate": "a-b"', 'AB', '{"plate": "***"'],
    ['nothing', 'AB', 'nothing'],
  ])('that are no JSON, such as %s, so that what is left does not spell %s', (text, spelled, masked) => {
    const plate = normalizePlate(spelled);
    expect(plate).not.toBeNull();
    if (plate !== null) {
      expect(withoutPlate(text, plate)).toBe(masked);
      expect(withoutPlate(masked, plate)).toBe(masked);
    }
  });
});
