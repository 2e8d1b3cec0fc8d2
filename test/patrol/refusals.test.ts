import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { City, outcomeOf } from '../support/city.ts';
import { issueCredential } from '../support/credential.ts';
import { ADMIN, type Answer } from '../support/service.ts';
import { A_STREET, NOW, SEEN } from './street.ts';

const PATH = '/api/v2/patrol/checks';
const city = new City(A_STREET, { now: NOW });
const send = (body: object, headers = {}) => city.post(PATH, body, headers);
const check = (changed: object = {}) => ({
  id: '1',
  plate: 'HERE',
  area_code: 'S1',
  seen_at: SEEN,
  ...changed,
});
const checks = (count: number) => Array.from({ length: count }, (_, index) => check({ id: String(index) }));
/** The outcomes of the plates that a call has left in the call log. */
const tracesOf = async (requestId: unknown) => {
  const { results } = await env.DB.prepare(
    "select outcome from call_plates where id = unhex(?, '-') order by position",
  )
    .bind(requestId)
    .all<{ outcome: string }>();
  return results.map(({ outcome }) => outcome);
};
const pathsOf = ({ body }: Answer) =>
  (body.error as { details: { issues: { path: string }[] } }).details.issues.map(({ path }) => path);

describe('A patrol is refused as a whole for', () => {
  it.each([
    ['no checks', {}, 'checks'],
    ['a hundred and one', { checks: checks(101) }, 'checks'],
    ['an unknown property', { checks: checks(1), area: 'S1' }, 'area'],
    ['an unknown property of one', { checks: [check({ event: 'entry' })] }, 'checks.0.event'],
    ['an id twice', { checks: [check(), check()] }, 'checks.1.id'],
    ['an empty id', { checks: [check({ id: '' })] }, 'checks.0.id'],
    ['a long id', { checks: [check({ id: 'x'.repeat(65) })] }, 'checks.0.id'],
    ['a blank area', { checks: [check({ area_code: ' ' })] }, 'checks.0.area_code'],
    [
      'an instant without offset',
      { checks: [check({ seen_at: '2026-03-07T12:00:00' })] },
      'checks.0.seen_at',
    ],
  ])('%s', async (_, body, path) => {
    const answer = await send(body);
    expect([answer.status, pathsOf(answer)]).toEqual([422, [path]]);
  });

  it('a switched-off plate check, which leaves each plate its trace', async () => {
    await env.DB.exec('update municipalities set plate_check_enabled = 0');
    const answer = await send({ checks: checks(2) });
    expect(outcomeOf(answer)).toEqual([403, 'SERVICE_DISABLED']);
    expect(await tracesOf(answer.body.request_id)).toEqual(['SERVICE_DISABLED', 'SERVICE_DISABLED']);
    await env.DB.exec('update municipalities set plate_check_enabled = 1');
  });
});

describe('A patrol costs one for each plate', () => {
  const of = async (limit: number) => (await issueCredential({ rateLimit: limit })).headers;
  const left = ({ headers }: Answer) => headers.get('RateLimit')?.match(/r=(\d+)/)?.[1];

  it('and refused items too', async () => {
    const headers = await of(20);
    expect(left(await send({ checks: checks(5) }, headers))).toBe('15');
    expect(left(await send({ checks: [check(), check({ id: '2', plate: '-' })] }, headers))).toBe('13');
    expect(left(await send({ checks: [] }, headers))).toBe('12');
    expect(left(await send({ checks: checks(2), municipality_code: 'NONE' }, headers))).toBe('10');
  });

  it('and more than the limit can never be asked: it is wrong there, and costs one', async () => {
    const headers = await of(3);
    const answer = await send({ checks: checks(4) }, headers);
    expect([answer.status, pathsOf(answer), left(answer)]).toEqual([422, ['checks'], '2']);
  });

  it('and all of it or one: what does not fit passes once it has waited as long as the answer said', async () => {
    const headers = await of(10);
    await send({ checks: checks(1) }, headers);
    vi.setSystemTime(NOW + 10_000);
    await send({ checks: checks(4) }, headers);
    vi.setSystemTime(NOW + 20_000);
    const tooMany = await send({ checks: checks(6) }, headers);
    // The one that it cost stays in the window: six have room again when the four have left it.
    expect([tooMany.status, left(tooMany), tooMany.headers.get('Retry-After')]).toEqual([429, '4', '50']);
    vi.setSystemTime(NOW + 70_000);
    expect((await send({ checks: checks(6) }, headers)).status).toBe(200);
  });
});

describe('Who looked', () => {
  const CHECK = '/api/v2/parking-entitlements/search';
  const kept = async ({ body }: Answer) => {
    const looked = await city.service.call(`/api/v2/admin/calls/${body.request_id}`, { headers: ADMIN });
    return (looked.body.call as { officer_reference: string | null }).officer_reference;
  };
  const at = (path: string, body: object, officer: string) =>
    city.post(path, body, { 'Officer-Reference': officer });

  it.each([
    ['a plate check', CHECK, { plate: 'HERE' }],
    ['V1', '/api/v1/parking/check-plate', { plate: 'HERE' }],
    ['evidence', '/api/v2/evidence/search', { plate: 'HERE', at: SEEN, known_at: SEEN }],
    ['a patrol', PATH, { checks: checks(1) }],
  ])('is kept of %s, or refused where it is not a reference', async (_, path, body) => {
    expect(await kept(await at(path, body, 'badge-0417'))).toBe('badge-0417');
    expect(await kept(await at(path, body, ''))).toBeNull();
    for (const wrong of ['two words', 'x'.repeat(65), 'tab\tstop']) {
      const refused = await at(path, body, wrong);
      expect([refused.status, pathsOf(refused)]).toEqual([422, ['Officer-Reference']]);
      expect(await kept(refused)).toBeNull();
    }
  });

  it('stands in evidence with the finding of each plate that was asked about, and goes with an erasure', async () => {
    // One slip from a plate that is entitled, and which nobody has asked about.
    const seen = [check({ plate: 'ABC0DEF' }), check({ id: '2', plate: 'ABC0DEF', area_code: 'NONE' })];
    const patrol = await at(PATH, { checks: seen }, 'b1');
    const checksOf = async (plate: string) =>
      (await city.post('/api/v2/evidence/search', { plate, at: SEEN })).body.checks;
    const traced = { operation: 'patrol', request_id: patrol.body.request_id, officer_reference: 'b1' };
    expect(await checksOf('ABC0DEF')).toMatchObject([
      { ...traced, outcome: 'officer_decides' },
      { ...traced, outcome: 'AREA_NOT_FOUND' },
    ]);
    expect(await checksOf('ABCODEF')).toEqual([]);
    const ofPerson = { tenant: 'acme', plate: 'ABC0DEF' };
    const exported = await city.post('/api/v2/admin/plates/export', ofPerson, ADMIN);
    expect(exported.body.calls).toContainEqual(expect.objectContaining(traced));
    const erased = await city.post('/api/v2/admin/plates/erase', ofPerson, ADMIN);
    // Both sightings, and the first search of evidence.
    expect(erased.body).toMatchObject({ erased: { calls: 3 }, next: null });
    expect(await checksOf('ABC0DEF')).toEqual([]);
  });
});
