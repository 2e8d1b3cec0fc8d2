import { beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../clients/parking/stop.ts';
import { HEALTHY, json, ScriptedService } from '../client/scripted-service.ts';
import { ADMIN_TOKEN } from './office.ts';
import {
  asAdministrator,
  asOperator,
  by,
  openOffice,
  START_MS,
  service,
  tokenWith,
} from './opened-office.ts';

openOffice();

const DAY_MS = 86_400_000;

let [office, reader, meter] = ['', '', ''];

beforeAll(async () => {
  office = await tokenWith('office', 'import', 'evidence', 'plate_check');
  reader = await tokenWith('office_read');
  meter = await tokenWith('subscription_payments');
  const title = { type: 'RES', approval: 'approved', areas: 'all', periods: [] };
  const line = { subscription_number: 'R-1', plates: [{ plate: 'RR111RR' }], ...title };
  await asOperator('import subscriptions -', { input: JSON.stringify(line) });
  await pay({ payment_id: 'P-1', plate: 'RR111RR', terminal_code: 'METER-1' });
  await pay({ payment_id: 'P-2', plate: 'ZZ999ZZ', terminal_code: 'METER-1', collected_at: ago(2) });
  await pay({ payment_id: 'P-3', plate: 'ZZ998ZZ', importo_eurocent: 300 });
  await pay({ payment_id: 'P-4', plate: 'ZZ997ZZ' });
}, START_MS);

const ago = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();

async function pay(deviation: object): Promise<void> {
  const body = { codice_tariffa: '101', importo_eurocent: 2_500, collected_at: ago(0), ...deviation };
  const answered = await fetch(`${service.address}/api/v2/parking-meters/subscription-payments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${meter}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answered.status).toBe(200);
}

const [LIST, SHOW, SETTLE] = ['list', 'show', 'settle'].map((name) => `payment ${name} -m H501`);

describe('A list of payments', () => {
  it('has the last 31 days, in the order of collection, with the totals of every state', async () => {
    const { code, out, err } = await by(office, `${LIST}`);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^P-1 +\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)? +METER-1 +RR111RR +2500 +accepted /m);
    expect(out).toMatch(/^P-3 .* – +ZZ998ZZ +300 +unsettled +SUBSCRIPTION_NOT_FOUND$/m);
    expect(out).toMatch(/^accepted +1 +2500\nunsettled +3 +5300\nsettled +0 +0\nreversed +0 +0$/m);
    expect(out.indexOf('P-2')).toBeLessThan(out.indexOf('P-1'));
  });

  it('is bounded by a window, a terminal and a state', async () => {
    const ids = async (options: string): Promise<string[]> => {
      const { out } = await by(office, `${LIST} --json ${options}`);
      return JSON.parse(out).payments.map(({ payment_id }: { payment_id: string }) => payment_id);
    };
    expect(await ids('--state accepted')).toEqual(['P-1']);
    expect(await ids('--terminal METER-1')).toEqual(['P-2', 'P-1']);
    expect(await ids(`--from ${ago(1)}`)).toEqual(['P-1', 'P-3', 'P-4']);
    expect(await ids(`--from ${ago(20)} --until ${ago(1)}`)).toEqual(['P-2']);
    expect((await by(office, `${LIST} --from ${ago(1)} --until ${ago(2)}`)).err).toContain('until: ');
    expect((await by(office, `${LIST} --state lost`)).code).toBe(EXIT.usage);
  });

  it('has every page', async () => {
    const scripted = await ScriptedService.start();
    const page = (next: string | null, count: number) => {
      const totals = { accepted: { count, eurocent: 200 } };
      return json(200, { ...HEALTHY, payments: [{ payment_id: `of ${count}` }], next, totals });
    };
    scripted.script(page('behind', 1), page(null, 2));
    const { out } = await by(office, `${LIST} --json`, { environment: { PARKING_URL: scripted.address } });
    expect(scripted.seen.map(({ body }) => JSON.parse(body).after)).toEqual([undefined, 'behind']);
    expect(JSON.parse(out)).toMatchObject({
      ...{ payments: [{ payment_id: 'of 1' }, { payment_id: 'of 2' }], totals: { accepted: { count: 2 } } },
    });
    await scripted.stop();
  });

  it('is for an office, a reader and the administrator', async () => {
    for (const token of [reader, ADMIN_TOKEN]) expect((await by(token, `${LIST}`)).code).toBe(0);
    const refused = await by(meter, `${LIST}`);
    expect([refused.code, refused.err]).toEqual([EXIT.refused, expect.stringContaining('SCOPE_NOT_ALLOWED')]);
    const unnamed = await asAdministrator('payment list');
    expect([unnamed.code, unnamed.err]).toEqual([EXIT.usage, expect.stringContaining('--municipality CODE')]);
  });
});

describe('A payment', () => {
  it('is shown with what became of it', async () => {
    const { out } = await by(office, `${SHOW} P-1`);
    expect(out).toMatch(/^state +accepted$/m);
    expect(out).toMatch(/^period\.ends_at +\d{4}-\d\d-\d\d /m);
    const unknown = await by(office, `${SHOW} P-9 --json`);
    expect([unknown.code, JSON.parse(unknown.err)]).toMatchObject([EXIT.refused, { code: 'NOT_FOUND' }]);
  });

  it('is settled once, after it was shown, by an office and not by a reader', async () => {
    const settle = [...`${SETTLE} P-2 --outcome refunded --note`.split(' '), 'Given back'];
    const unasked = await by(office, settle);
    expect([unasked.code, unasked.err]).toEqual([EXIT.usage, expect.stringMatching(/^plate +ZZ999ZZ$/m)]);
    expect((await by(reader, [...settle, '--yes'])).err).toContain('SCOPE_NOT_ALLOWED');
    const settled = await by(office, [...settle, '--yes']);
    expect([settled.code, settled.out]).toEqual([0, expect.stringMatching(/^state +settled$/m)]);
    const { out } = await by(office, `${SHOW} P-2`);
    expect(out).toMatch(/^settled\.outcome +refunded\nsettled\.note +Given back$/m);
    expect((await by(office, [...settle, '--yes'])).err).toContain('INVALID_REQUEST');
    expect((await by(office, `${SETTLE} P-3 --outcome lost`)).code).toBe(EXIT.usage);
    expect((await by(office, `${SETTLE} P-3`)).code).toBe(EXIT.usage);
  });
});
