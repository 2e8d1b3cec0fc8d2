import { beforeAll, describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../src/domain/instant.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { configurationVersion } from '../support/past.ts';
import { CITY, MONTHLY, seed } from '../support/seed.ts';
import { ADMIN, type Answer, Service } from '../support/service.ts';

const NOW = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
const service = new Service();
let credential: TestCredential;

beforeAll(async () => {
  await seed({ ...CITY, plans: [MONTHLY], configurationVersions: [configurationVersion(NOW - HOUR_MS)] });
  credential = await issueCredential();
});

/** An instant in the forms that clients write: half a second past its minute. */
const FORMS = [
  ['with a point and Z', (at: number) => written(at, 0, '.', 'Z')],
  ['with a comma and ±HH:MM', (at: number) => written(at, 120, ',', '+02:00')],
  ['with a point and ±HHMM', (at: number) => written(at, -210, '.', '-0330')],
  ['with a comma and ±HH', (at: number) => written(at, 60, ',', '+01')],
] as const;

const written = (at: number, offsetMinutes: number, mark: string, offset: string): string =>
  `${new Date(at + offsetMinutes * MINUTE_MS).toISOString().slice(0, 19)}${mark}5${offset}`;

const HALF = 500;
const ask = (path: string, body: object): Promise<Answer> => service.post(path, body, credential.headers);

const importLine = (path: string, line: object): Promise<Answer> =>
  service.call(path, {
    method: 'POST',
    headers: { ...credential.headers, 'Content-Type': 'application/x-ndjson' },
    body: JSON.stringify(line),
  });

describe.each(FORMS)('An instant %s', (name, form) => {
  const past = form(NOW - HOUR_MS / 2);
  const sent = NOW - HOUR_MS / 2 + HALF;
  const isSent = (value: unknown) => expect(Date.parse(String(value))).toBe(sent);

  it.each(['/api/v2/parking-entitlements/search', '/api/v1/parking/check-plate'])(
    'is taken as checked_at of %s',
    async (path) => {
      const { status, body } = await ask(path, { plate: 'A', checked_at: past });
      expect(status, JSON.stringify(body)).toBe(200);
      isSent(body.checked_at);
    },
  );

  it('is taken as at and known_at of evidence', async () => {
    const { status, body } = await ask('/api/v2/evidence/search', {
      ...{ plate: 'A', at: past, known_at: past },
    });
    expect(status, JSON.stringify(body)).toBe(200);
    isSent(body.at);
    isSent(body.known_at);
  });

  it('is taken as seen_at of a patrol', async () => {
    const checks = [{ id: '1', plate: 'A', area_code: 'S1', seen_at: past }];
    const { status, body } = await ask('/api/v2/patrol/checks', { checks });
    expect(status, JSON.stringify(body)).toBe(200);
    isSent((body.results as { seen_at: string }[])[0]?.seen_at);
  });

  it('is taken in the lines of imports', async () => {
    const plate = `S${name.length}`;
    const until = form(NOW + HOUR_MS);
    const session = { session_id: name, plate, area_code: 'S1', starts_at: past, ends_at: until };
    const subscription = {
      ...{ subscription_number: name, type: 'RES', approval: 'approved', areas: 'all', revoked_at: until },
      ...{ authorized_from: past, authorized_until: until, suspended_from: until, suspended_until: null },
      plates: [{ plate, valid_from: past, valid_until: until }],
      periods: [{ starts_at: past, ends_at: until }],
    };
    for (const [path, line] of [
      ['/api/v2/imports/sessions?source_code=app1', session],
      ['/api/v2/imports/subscriptions', subscription],
    ] as const) {
      const { body } = await importLine(path, line);
      expect(body, JSON.stringify(body)).toMatchObject({ created: 1, rejected: 0 });
    }
    const { body } = await ask('/api/v2/parking-entitlements/search', { plate, area_code: 'S1' });
    expect(body).toMatchObject({ has_valid_parking: true, has_valid_subscription: true });
    isSent((body.sessions as { starts_at: string }[])[0]?.starts_at);
  });

  it('is taken as closed_until of an area, and as expires_at of a credential', async () => {
    const far = form(NOW + 100 * HOUR_MS);
    const document = { municipalities: [{ code: 'H501', areas: [{ code: 'S1', closed_until: far }] }] };
    const put = await service.call('/api/v2/admin/configuration', {
      ...{ method: 'PUT', headers: ADMIN, body: document },
    });
    expect(put.status, JSON.stringify(put.body)).toBe(200);
    const issued = await service.post(
      '/api/v2/admin/credentials',
      { tenant: 'acme', name: 'x', scopes: ['report'], municipalities: ['H501'], expires_at: far },
      ADMIN,
    );
    expect(issued.status, JSON.stringify(issued.body)).toBe(201);
    expect(Date.parse(String(issued.body.expires_at))).toBe(NOW + 100 * HOUR_MS + HALF);
    const changed = await service.call(`/api/v2/admin/credentials/${issued.body.credential_id}`, {
      ...{ method: 'PATCH', headers: ADMIN, body: { expires_at: far } },
    });
    expect(changed.status, JSON.stringify(changed.body)).toBe(200);
  });
});
