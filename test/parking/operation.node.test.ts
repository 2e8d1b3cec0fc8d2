import { beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../clients/parking/stop.ts';
import {
  asAdministrator,
  asOperator,
  desk,
  importSession,
  openOffice,
  START_MS,
  service,
} from './opened-office.ts';

openOffice();

const inMinutes = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();

beforeAll(async () => {
  await importSession({ session_id: 'A-1', plate: 'AB123CD', ends_at: inMinutes(60) });
  const title = {
    ...{ subscription_number: 'R-1', type: 'RES', approval: 'approved', areas: 'all' },
    ...{ plates: [{ plate: 'RR111RR' }], periods: [] },
  };
  await asOperator('import subscriptions -', { input: JSON.stringify(title) });
  await service.cron();
}, START_MS);

describe('A plate check', () => {
  it('is a record of the whole answer, with its sessions as a table; in a narrow terminal, folded', async () => {
    const words = ['check', 'ab 123 cd', '--area', 'S1'];
    const { code, out, err } = await asOperator(words);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^plate +AB123CD$/m);
    expect(out).toMatch(/^municipality +Roma \(H501\)$/m);
    expect(out).toMatch(/^has_valid_entitlement +true$/m);
    expect(out).toMatch(/^sessions:\n.*\nA-1 .*Via Roma \(S1\).* valid +true$/m);
    expect(out).not.toMatch(/\d{4}-\d\d-\d\dT/);
    const [record = ''] = (await asOperator(words, { columns: 70 })).out.split('\n\n');
    expect(record.split('\n').filter((line) => line.length > 70)).toEqual([]);
    expect(record.split('\n').length).toBeGreaterThan(5);
  });

  it('of a service that cannot be reached is worth another try: its exit code is 3', async () => {
    const away = { environment: { PARKING_URL: 'http://127.0.0.1:9' } };
    const { code, out, err } = await asOperator('check AB123CD', away);
    expect({ code, out }).toEqual({ code: EXIT.unavailable, out: '' });
    expect(err).toMatch(/cannot be reached: .*NETWORK_ERROR.*\n.*`parking profiles` shows the address/);
  });

  it('that ends in a no is an answer: its exit code is 0', async () => {
    const { code, out } = await asOperator('check ZZ999ZZ --json');
    expect([code, JSON.parse(out)]).toMatchObject([0, { api_version: '2.0', has_valid_entitlement: false }]);
  });

  it('takes times as the municipality’s clocks show them, and refuses the future', async () => {
    const { code, err } = await asOperator(['check', 'AB123CD', '--at', '01/01/2099 10:00']);
    expect([code, err]).toEqual([EXIT.refused, expect.stringContaining('CHECKED_AT_IN_FUTURE')]);
    const unread = await asOperator('check AB123CD --at yesterday');
    expect([unread.code, unread.err]).toEqual([
      EXIT.usage,
      expect.stringContaining('yesterday is not a time'),
    ]);
  });
});

it('Subscription options are a table of plans', async () => {
  const { code, out } = await asOperator('options RR111RR --terminal M1');
  expect(code).toBe(0);
  expect(out).toMatch(/^result_code +OPTIONS_AVAILABLE$/m);
  expect(out).toMatch(/^101 +2500 +\d\d:\d\d \d\d\/\d\d\/\d{4} +RESIDENTI MENSILE/m);
});

it('The report is a table of what is free now and soon, and what the sources say; in JSON one line', async () => {
  const { code, out } = await asOperator('report --type street');
  expect(code).toBe(0);
  expect(out).toMatch(/^Roma \(H501\) {2}\d{4}-\d\d-\d\d /);
  expect(out).toMatch(/^Via Roma \(S1\) +1 +40 +2\.5 +39 +39 +\d+$/m);
  expect(out).toMatch(/^total +1 +40 /m);
  expect(out).toMatch(/^App One \(app1\) +fresh /m);
  // In a narrow terminal the titles break.
  const { out: narrow } = await asOperator('report --type street', { columns: 80 });
  expect(Math.max(...narrow.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
  const { out: line } = await asOperator('report --json');
  expect(line.trim().split('\n')).toHaveLength(1);
  expect(JSON.parse(line)).toMatchObject({ report: 'active_by_area', filters: { area_type: 'facility' } });
});

describe('Evidence', () => {
  it('shows what was known then and what is known now, and whether they differ', async () => {
    const asked = new Date().toISOString();
    await importSession({ session_id: 'L-1', plate: 'LL111LL', starts_at: inMinutes(-60) });
    const { code, out } = await asOperator(`evidence LL111LL --at ${asked} --area S1`);
    expect(code).toBe(0);
    expect(out).toMatch(/^as_known_then.has_valid_entitlement +false$/m);
    expect(out).toMatch(/^as_known_now.has_valid_entitlement +true$/m);
    expect(out).toMatch(/^as_known_now.sessions:\n.*\nL-1 /m);
    expect(out).toMatch(/^differs +true$/m);
    expect(out).toMatch(/^history:\n.*\n.* L-1 .* false /m);
    expect(out).toMatch(/^app1 +App One +fresh/m);
  });
});

it('A call is found by its request id by the administrator', async () => {
  const { out } = await asOperator('options RR111RR --json');
  const { code, out: call } = await asAdministrator(`call ${JSON.parse(out).request_id}`);
  expect(code).toBe(0);
  expect(call).toMatch(/^operation +subscription_options$/m);
  expect(call).toMatch(/^request\.plate +RR111RR$/m);
  const unknown = await asAdministrator('call 00000000-0000-4000-8000-000000000000');
  expect([unknown.code, unknown.err]).toEqual([EXIT.refused, expect.stringContaining('NOT_FOUND')]);
});

it('The status is a record for the administrator alone', async () => {
  const { code, out } = await asAdministrator('status');
  expect(code).toBe(0);
  expect(out).toMatch(/^database\.schema +\d+$/m);
  expect(out).toMatch(/^late_sources +–$/m);
  const refused = await asOperator('status');
  expect([refused.code, refused.err]).toEqual([EXIT.usage, expect.stringContaining('TOKEN_NOT_SET')]);
});

describe('A failure', () => {
  it('is JSON on standard error where the output is JSON, with what to do', async () => {
    const { code, out, err } = await asOperator('check ß --json');
    expect([code, out]).toEqual([EXIT.refused, '']);
    expect(JSON.parse(err)).toMatchObject({ ok: false, exit_code: 1, code: 'INVALID_PLATE' });
    const unknown = await desk.run(['check', 'A', '--json']);
    expect(JSON.parse(unknown.err)).toMatchObject({ exit_code: 2, advice: expect.stringContaining('login') });
  });

  it.each([
    [['chek'], 'Did you mean check?'],
    [['check'], "missing required argument 'plate'"],
    [['credential'], 'Name a command.'],
  ])('of usage is told in words: %s', async (args, words) => {
    const { code, out, err } = await desk.run(args);
    expect([code, out, err]).toEqual([EXIT.usage, '', expect.stringContaining(words)]);
  });
});
