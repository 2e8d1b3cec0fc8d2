import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../clients/parking/exit-codes.ts';
import { error, HEALTHY, json, ScriptedService } from '../client/scripted-service.ts';
import { ADMIN_TOKEN, type Done, type How } from './office.ts';
import { asAdministrator, asOperator, desk, openOffice, START_MS, service } from './opened-office.ts';

openOffice();

const DAY_MS = 86_400_000;
const ITALIAN = { environment: { LANG: 'it_IT.UTF-8' } };

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

it('A plate without subscriptions is told so', async () => {
  const { code, out, err } = await by(office, ['subscription', 'show', '--plate', 'NN111NN'], ITALIAN);
  expect([code, out]).toEqual([0, '']);
  expect(err).toContain('La targa NN111NN non ha abbonamenti in H501.');
});

it('A command of the administrator’s names the secret that an office lacks', async () => {
  const { code, err } = await desk.run(['status'], {
    environment: { PARKING_URL: service.address, PARKING_TOKEN: office, LANG: 'it_IT.UTF-8' },
  });
  expect([code, err]).toEqual([2, expect.stringContaining('richiede il token di amministratore')]);
});

const by = (token: string, args: readonly string[], how: How = {}): Promise<Done> =>
  desk.run([...args, '-m', 'H501'], {
    ...how,
    environment: { PARKING_URL: service.address, PARKING_TOKEN: token, ...how.environment },
  });

describe('A list of payments', () => {
  it('has the last 31 days, in the order of collection, with the totals of every state', async () => {
    const { code, out, err } = await by(office, ['payment', 'list']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(
      /^\d\d\/\d\d\/\d{4} \d\d:\d\d(?::\d\d)? +P-1 +RR111RR +METER-1 +101 +€25\.00 +accepted$/m,
    );
    expect(out).toMatch(/P-3 +ZZ998ZZ +– +101 +€3\.00 +unsettled: SUBSCRIPTION_NOT_FOUND$/m);
    expect(out).toMatch(/^accepted +1 +€25\.00\nunsettled +3 +€53\.00\nsettled +0 +€0\.00\nreversed +0 /m);
    expect(out.indexOf('P-2')).toBeLessThan(out.indexOf('P-1'));
  });

  it('fits a terminal of 100 columns, and reads Italian', async () => {
    const { out } = await by(office, ['payment', 'list'], { ...ITALIAN, columns: 100 });
    const lines = stripVTControlCharacters(out).split('\n');
    expect(lines.filter((line) => line.length > 100)).toEqual([]);
    expect(lines.join('\n')).toMatch(/^da definire +3 +53,00.€$/m);
    expect(out).not.toMatch(/accepted|unsettled\b/);
  });

  it('is bounded by a window of any length, a terminal and a state', async () => {
    const ids = async (...options: string[]): Promise<string[]> => {
      const { out } = await by(office, ['payment', 'list', '--json', ...options]);
      const { payments }: { payments: { payment_id: string }[] } = JSON.parse(out);
      return payments.map(({ payment_id }) => payment_id);
    };
    expect(await ids('--state', 'accepted')).toEqual(['P-1']);
    expect(await ids('--terminal', 'METER-1')).toEqual(['P-2', 'P-1']);
    expect(await ids('--from', ago(1))).toEqual(['P-1', 'P-3', 'P-4']);
    expect(await ids('--from', ago(200), '--until', ago(1))).toEqual(['P-2']);
    expect((await by(office, ['payment', 'list', '--from', ago(1), '--until', ago(2)])).code).toBe(
      EXIT.usage,
    );
    expect((await by(office, ['payment', 'list', '--state', 'lost'])).code).toBe(EXIT.usage);
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
    expect(out).toMatch(/^period +\d\d\/\d\d\/\d{4} \d\d:\d\d(?::\d\d)? → \d\d\/\d\d\/\d{4} /m);
    const italian = await by(office, ['payment', 'show', 'P-3'], ITALIAN);
    expect(italian.out).toMatch(
      /^esito +Il pagamento è registrato per l'ufficio: .* \(SUBSCRIPTION_NOT_FOUND\)$/m,
    );
    expect(JSON.parse((await by(office, ['payment', 'show', 'P-1', '--json'])).out)).toMatchObject({
      ...{ payment_id: 'P-1', state: 'accepted' },
    });
    const unknown = await by(office, ['payment', 'show', 'P-9', '--json']);
    expect([unknown.code, JSON.parse(unknown.err)]).toMatchObject([1, { code: 'NOT_FOUND' }]);
  });

  it('is settled once, after it was shown, by an office and not by a reader', async () => {
    const settle = ['payment', 'settle', 'P-2', '--outcome', 'refunded', '--note', 'Given back'];
    const unasked = await by(office, settle);
    expect([unasked.code, unasked.err]).toEqual([EXIT.usage, expect.stringMatching(/^plate +ZZ999ZZ$/m)]);
    expect((await by(reader, [...settle, '--yes'])).err).toContain('SCOPE_NOT_ALLOWED');
    expect(await by(office, [...settle, '--yes'])).toMatchObject({ code: 0, out: 'Done.\n' });
    const { out } = await by(office, ['payment', 'show', 'P-2']);
    expect(out).toMatch(/^settled +refunded, \d\d\/\d\d\/\d{4} .*\nnote +Given back$/m);
    const again = await by(office, [...settle, '--yes']);
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('it is settled')]);
    expect((await by(office, ['payment', 'settle', 'P-3', '--outcome', 'lost'])).code).toBe(EXIT.usage);
    expect((await by(office, ['payment', 'settle', 'P-3'])).code).toBe(EXIT.usage);
  });
});

describe('A settlement whose answer was lost', () => {
  it('is done where the payment says so', async () => {
    const { out } = await by(office, ['payment', 'show', 'P-3', '--json']);
    const payment: object = JSON.parse(out);
    const sum = { count: 0, eurocent: 0 };
    const found = (state: object) =>
      json(200, {
        ...{ ...HEALTHY, payments: [{ ...payment, ...state }], next: null },
        totals: { accepted: sum, unsettled: sum, settled: sum, reversed: sum },
      });
    const scripted = await ScriptedService.start();
    const environment = { PARKING_URL: scripted.address };
    const settle = (outcome: string) => {
      const is = { outcome: 'refunded', note: null, at: ago(0) };
      scripted.script(found({}), error(422, 'INVALID_REQUEST'), found({ state: 'settled', settled: is }));
      return by(office, ['payment', 'settle', 'P-3', '--outcome', outcome, '--yes'], { environment });
    };
    expect(await settle('refunded')).toMatchObject({ code: 0, out: 'Done.\n' });
    expect(await settle('corrected')).toMatchObject({ code: 1, out: '' });
    await scripted.stop();
  });
});

describe('The closing of a day', () => {
  it('has a line for each terminal, and the totals', async () => {
    const { code, out } = await by(office, ['payment', 'closing']);
    expect(code).toBe(0);
    expect(out).toMatch(/^H501, \d\d\/\d\d\/\d{4}$/m);
    expect(out).toMatch(/^METER-1 +1 +€25\.00 +– +– +–$/m);
    expect(out).toMatch(/^together +1 +€25\.00 +2 +€28\.00 +– +–$/m);
    const { terminals, totals } = JSON.parse((await by(office, ['payment', 'closing', '--json'])).out);
    expect(terminals.map((one: { terminal_code: string | null }) => one.terminal_code)).toEqual([
      null,
      '=1+1',
      'METER-1',
    ]);
    expect(totals.unsettled).toEqual({ count: 2, eurocent: 2_800 });
  });

  it('is a table for a spreadsheet, which calculates nothing of it', async () => {
    const { out } = await by(office, ['payment', 'closing', '--csv']);
    expect(out.split('\n').slice(0, 3)).toEqual([
      'terminal,accepted,accepted euros,unsettled,unsettled euros,settled,settled euros,reversed,reversed euros',
      ',0,0.00,1,3.00,0,0.00,0,0.00',
      "'=1+1,0,0.00,1,25.00,0,0.00,0,0.00",
    ]);
    expect((await by(office, ['payment', 'closing', '--csv'], ITALIAN)).out).toMatch(
      /^METER-1;1;25,00;0;0,00;/m,
    );
  });

  it('is of one whole day', async () => {
    const day = (text: string) => by(office, ['payment', 'closing', text]);
    expect((await day('01/01/2026')).out).toContain('no payments');
    for (const text of ['24/11/2026 10:00', 'yesterday']) expect((await day(text)).code).toBe(EXIT.usage);
    expect((await by(office, ['payment', 'closing', '--csv', '--json'])).code).toBe(EXIT.usage);
  });

  it('is read again while payments arrive, and given up in the end', async () => {
    const scripted = await ScriptedService.start();
    const none = { count: 0, eurocent: 0 };
    const totals = { accepted: { count: 1, eurocent: 1 }, unsettled: none, settled: none, reversed: none };
    const configuration = await fetch(
      `${service.address}/api/v2/admin/configuration?municipality_code=H501`,
      { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } },
    );
    const configured = json(200, (await configuration.json()) as object);
    const changing = json(200, { ...HEALTHY, payments: [], next: null, totals });
    scripted.script(configured, changing, changing, changing);
    const { code, err } = await by(office, ['payment', 'closing'], {
      environment: { PARKING_URL: scripted.address },
    });
    expect([code, err]).toEqual([EXIT.unavailable, expect.stringContaining('kept arriving')]);
    await scripted.stop();
  });
});

describe('A subscription with a paid period', () => {
  it('is renewed and ended by a line without it, also where it overlaps with the office’s own', async () => {
    await importTitle({ subscription_number: 'R-2', plates: [{ plate: 'RS222RS' }] });
    await pay({ payment_id: 'P-5', plate: 'RS222RS' });
    const own = { starts_at: ago(-10), ends_at: ago(-60) };
    await importTitle({ subscription_number: 'R-2', plates: [{ plate: 'RS222RS' }], periods: [own] });
    const renew = ['subscription', 'renew', 'R-2', '--from', ago(-60), '--until', ago(-90), '--yes'];
    const renewed = await by(office, renew);
    expect([renewed.code, renewed.err]).toEqual([0, expect.not.stringContaining('A payment made')]);
    const stored = async () => JSON.parse((await by(office, ['subscription', 'show', 'R-2', '--json'])).out);
    const { periods } = await stored();
    expect(periods).toHaveLength(3);
    // The start of the paid one corrects its end.
    const [paid] = periods;
    const correct = ['subscription', 'renew', 'R-2', '--from', paid.starts_at, '--until', ago(-5), '--yes'];
    const corrected = await by(office, correct);
    expect([corrected.code, corrected.err]).toEqual([
      0,
      expect.stringContaining('A payment made the period'),
    ]);
    expect((await stored()).periods).toHaveLength(3);
    expect(await by(office, ['subscription', 'end', 'R-2', '--yes'])).toMatchObject({ code: 0 });
    expect((await stored()).periods).toHaveLength(3);
  });
});

describe('Evidence of a paid period', () => {
  it('says when it was paid and when that was recorded, on the screen and on the page', async () => {
    await importTitle({ subscription_number: 'R-3', plates: [{ plate: 'RT333RT' }] });
    const collected = ago(3);
    await pay({ payment_id: 'P-6', plate: 'RT333RT', collected_at: collected });
    const evidence = ['evidence', 'RT333RT', '--at', ago(0)];
    const { out } = await by(office, evidence);
    expect(out.replace(/\n│ {4,}/g, ' ')).toMatch(
      /subscription R-3 \(paid \d\d\/\d\d\/\d{4} \d\d:\d\d.*, recorded \d\d\/\d\d\/\d{4} .*\): type RES/,
    );
    const { history } = JSON.parse((await by(office, [...evidence, '--json'])).out);
    const paid = history.filter((change: { collected_at?: string }) => change.collected_at !== undefined);
    expect(paid).toHaveLength(1);
    expect(Date.parse(paid[0].collected_at)).toBe(Date.parse(collected));
    const report = desk.path('pagato.html');
    expect(await by(office, [...evidence, '--report', report], ITALIAN)).toMatchObject({ code: 0 });
    expect(readFileSync(report, 'utf8')).toMatch(/abbonamento R-3 \(pagato \d\d\/.*, registrato \d\d\//);
  });
});

describe('A credential of a collector', () => {
  it('is shown in Italian with its scope in words', async () => {
    const { out } = await asAdministrator(['credential', 'list', '--json']);
    const credentials: { credential_id: string; scopes: string[] }[] = JSON.parse(out);
    const id =
      credentials.find(({ scopes }) => scopes.includes('subscription_payments'))?.credential_id ?? '';
    const shown = await asAdministrator(['credential', 'show', id], ITALIAN);
    expect(shown.out).toMatch(/^ambiti +pagamenti degli abbonamenti \(subscription_payments\)$/m);
    expect(shown.out).toMatch(/^stato +attiva$/m);
    expect(shown.out).not.toMatch(/^[a-z]+_[a-z_]+ /m);
  });
});
