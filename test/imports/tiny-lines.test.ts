import { beforeAll, describe, expect, it } from 'vitest';
import { SHORTEST_SESSION_LINE } from '../../src/intake/imports/session-line.ts';
import { SHORTEST_SUBSCRIPTION_LINE } from '../../src/intake/imports/subscription-line.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { shortOrThorough } from '../support/run-form.ts';
import { CITY, seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';

const SESSION = '{"session_id":"1","plate":"A","area_code":"1","starts_at":"2026-01-01T00:00Z"}';
const SUBSCRIPTION =
  '{"subscription_number":"1","type":"1","plates":[],"approval":"pending","areas":"all","periods":[]}';
const AREA = { id: 7, municipalityId: 1, code: '1', name: 'One' };
const service = new Service();
let credential: TestCredential;

beforeAll(async () => {
  await seed({
    ...CITY,
    areas: [{ ...CITY.areas[0], ...AREA }],
    subscriptionTypes: [{ ...CITY.subscriptionTypes[0], code: '1' }],
  });
  credential = await issueCredential();
});

describe.each([
  ['sessions?source_code=app1', SESSION, SHORTEST_SESSION_LINE],
  ['subscriptions', SUBSCRIPTION, SHORTEST_SUBSCRIPTION_LINE],
])('The import of %s', (path, shortest, length) => {
  const send = (body: string) =>
    service.post(`/api/v2/imports/${path}`, body, {
      ...credential.headers,
      'Content-Type': 'application/x-ndjson',
    });

  it('takes the shortest line there is, also behind a hundred bad ones', async () => {
    expect(shortest).toHaveLength(length);
    const { body } = await send(`${'{}\n'.repeat(150)}${shortest}\n`);
    expect(body).toMatchObject({ received: 151, rejected: 150, created: 1 });
  });

  const [size, lines] = shortOrThorough(['one mebibyte', 350_000], ['eight mebibytes', 2_700_000]);
  it(`gets over ${size} of tiny lines`, async () => {
    const { status, body } = await send('{}\n'.repeat(lines));
    expect(status).toBe(200);
    expect(body).toMatchObject({ received: lines, rejected: lines });
    expect(body.errors).toHaveLength(1_000);
  });
});
