import { beforeAll, describe, expect, it } from 'vitest';
import { HEALTHY, json, ScriptedService } from '../client/scripted-service.ts';
import { ADMIN_TOKEN, type Done, type How } from './office.ts';
import { asAdministrator, asOperator, desk, openOffice, START_MS, service } from './opened-office.ts';

openOffice();

const DAY_MS = 86_400_000;

let office: string;
let reader: string;
let meter: string;

beforeAll(async () => {
  office = await tokenWith('office', 'import', 'evidence', 'plate_check');
  reader = await tokenWith('office_read');
  meter = await tokenWith('subscription_payments');
  await importTitle({ subscription_number: 'R-1', plates: [{ plate: 'RR111RR' }] });
  await pay({ payment_id: 'P-1', plate: 'RR111RR', terminal_code: 'METER-1' });
  await pay({ payment_id: 'P-2', plate: 'ZZ999ZZ', terminal_code: 'METER-1', collected_at: ago(2) });
  await pay({ payment_id: 'P-3', plate: 'ZZ998ZZ', importo_eurocent: 300 });
  await pay({ payment_id: 'P-4', plate: 'ZZ997ZZ', terminal_code: '=1+1' });
}, START_MS);

async function tokenWith(...scopes: string[]): Promise<string> {
  const { access_token } = await service.administrate('POST', 'credentials', {
    ...{ tenant: 'acme', name: 'A clerk', municipalities: ['H501'], scopes },
    rate_limit: { limit: 10_000, window_seconds: 60 },
  });
  return String(access_token);
}

const ago = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();

async function importTitle(title: object): Promise<void> {
  const line = { type: 'RES', approval: 'approved', areas: 'all', periods: [], ...title };
  const done = await asOperator(['import', 'subscriptions', '-'], { input: JSON.stringify(line) });
  expect(done).toMatchObject({ code: 0 });
}

async function pay(deviation: object): Promise<void> {
  const body = { codice_tariffa: '101', importo_eurocent: 2_500, collected_at: ago(0), ...deviation };
  const answered = await fetch(`${service.address}/api/v2/parking-meters/subscription-payments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${meter}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answered.status).toBe(200);
}

const by = (token: string, args: readonly string[], how: How = {}): Promise<Done> =>
  desk.run([...args, '-m', 'H501'], {
    ...how,
    environment: { PARKING_URL: service.address, PARKING_TOKEN: token, ...how.environment },
  });

describe('A list of payments', () => {
  it('has the last 31 days, in the order of collection, with the totals of every state', async () => {
    const { code, out, err } = await by(office, ['payment', 'list']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^P-1 +\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)? +METER-1 +RR111RR +2500 +accepted /m);
    expect(out).toMatch(/^P-3 .* – +ZZ998ZZ +300 +unsettled +SUBSCRIPTION_NOT_FOUND$/m);
    expect(out).toMatch(/^accepted +1 +2500\nunsettled +3 +5300\nsettled +0 +0\nreversed +0 +0$/m);
    expect(out.indexOf('P-2')).toBeLessThan(out.indexOf('P-1'));
  });

  it('is bounded by a window, a terminal and a state', async () => {
    const ids = async (...options: string[]): Promise<string[]> => {
      const { out } = await by(office, ['payment', 'list', '--json', ...options]);
      const { payments }: { payments: { payment_id: string }[] } = JSON.parse(out);
      return payments.map(({ payment_id }) => payment_id);
    };
    expect(await ids('--state', 'accepted')).toEqual(['P-1']);
    expect(await ids('--terminal', 'METER-1')).toEqual(['P-2', 'P-1']);
    expect(await ids('--from', ago(1))).toEqual(['P-1', 'P-3', 'P-4']);
    expect(await ids('--from', ago(20), '--until', ago(1))).toEqual(['P-2']);
    expect((await by(office, ['payment', 'list', '--from', ago(1), '--until', ago(2)])).code).toBe(2);
    expect((await by(office, ['payment', 'list', '--state', 'lost'])).code).toBe(2);
  });

  it('has every page', async () => {
    const scripted = await ScriptedService.start();
    const total = { count: 1, eurocent: 100 };
    const totals = {
      accepted: { count: 2, eurocent: 200 },
      unsettled: total,
      settled: total,
      reversed: total,
    };
    const page = (next: string | null) => json(200, { ...HEALTHY, payments: [], next, totals });
    scripted.script(page('behind'), page(null));
    const { out } = await by(office, ['payment', 'list', '--json'], {
      environment: { PARKING_URL: scripted.address },
    });
    expect(scripted.seen.map(({ body }) => JSON.parse(body).after)).toEqual([undefined, 'behind']);
    expect(JSON.parse(out).totals.accepted).toEqual({ count: 2, eurocent: 200 });
    await scripted.stop();
  });

  it('is for an office, a reader and the administrator', async () => {
    const list = ['payment', 'list'];
    for (const token of [reader, ADMIN_TOKEN]) expect((await by(token, list)).code).toBe(0);
    const refused = await by(meter, list);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('SCOPE_NOT_ALLOWED')]);
    const unnamed = await asAdministrator(list);
    expect([unnamed.code, unnamed.err]).toEqual([2, expect.stringContaining('--municipality CODE')]);
  });
});

describe('A payment', () => {
  it('is shown with what became of it', async () => {
    const { out } = await by(office, ['payment', 'show', 'P-1']);
    expect(out).toMatch(/^state +accepted$/m);
    expect(out).toMatch(/^period\.ends_at +\d{4}-\d\d-\d\d /m);
    expect(JSON.parse((await by(office, ['payment', 'show', 'P-1', '--json'])).out)).toMatchObject({
      ...{ payment_id: 'P-1', state: 'accepted' },
    });
    const unknown = await by(office, ['payment', 'show', 'P-9', '--json']);
    expect([unknown.code, JSON.parse(unknown.err)]).toMatchObject([1, { code: 'NOT_FOUND' }]);
  });

  it('is settled once, after it was shown, by an office and not by a reader', async () => {
    const settle = ['payment', 'settle', 'P-2', '--outcome', 'refunded', '--note', 'Given back'];
    const unasked = await by(office, settle);
    expect([unasked.code, unasked.err]).toEqual([2, expect.stringMatching(/^plate +ZZ999ZZ$/m)]);
    expect((await by(reader, [...settle, '--yes'])).err).toContain('SCOPE_NOT_ALLOWED');
    expect(await by(office, [...settle, '--yes'])).toMatchObject({
      ...{ code: 0, out: expect.stringMatching(/^state +settled$/m) },
    });
    const { out } = await by(office, ['payment', 'show', 'P-2']);
    expect(out).toMatch(/^settled\.outcome +refunded\nsettled\.note +Given back$/m);
    const again = await by(office, [...settle, '--yes']);
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('INVALID_REQUEST')]);
    expect((await by(office, ['payment', 'settle', 'P-3', '--outcome', 'lost'])).code).toBe(2);
    expect((await by(office, ['payment', 'settle', 'P-3'])).code).toBe(2);
  });
});
