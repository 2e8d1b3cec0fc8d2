import { mkdirSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_TOKEN, type How } from './office.ts';
import { asAdministrator, asOperator, desk, openOffice, service, token } from './opened-office.ts';

openOffice();

describe('One record', () => {
  const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
  const both = (args: readonly string[], how: How = {}) => desk.run([...args, '--profile', 'both'], how);

  beforeAll(async () => {
    const profile = { url: service.address, access_token: token, admin_token: ADMIN_TOKEN };
    const book = { current: null, profiles: { both: { ...profile, municipality: 'H501' } } };
    mkdirSync(desk.path('config/parking'), { recursive: true });
    writeFileSync(desk.path('config/parking/profiles.json'), JSON.stringify(book), { mode: 0o600 });
    const session = { session_id: 'O-1', plate: 'OO111OO', area_code: 'S1', starts_at: at(-60), revision: 3 };
    const imported = await asOperator(['import', 'sessions', '-', '--source', 'app1'], {
      input: JSON.stringify(session),
    });
    expect(imported.code).toBe(0);
  });

  it('of a session is shown, and ended: before and after are shown, and somebody has to say yes', async () => {
    const shown = await both(['session', 'show', 'oo 111 oo']);
    expect(shown.out).toMatch(/^O-1 +app1 +S1 +\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)? +– +–$/m);
    const end = ['session', 'end', 'O-1', '--plate', 'OO111OO'];
    const unasked = await both(end);
    expect(unasked).toMatchObject({ code: 2, out: '' });
    expect(unasked.err).toMatch(/^ +plate +OO111OO +OO111OO$/m);
    // By the clocks of the municipality, like what is shown next to it.
    expect(unasked.err).toMatch(/^≠ +ends_at +– +\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?$/m);
    expect(unasked.err).toContain('an import of app1');
    expect(unasked.err).toContain('There is no terminal to ask on');
    expect((await both(['check', 'OO111OO', '--area', 'S1'])).out).toMatch(/^has_valid_entitlement +true$/m);

    // An offset to the hour, which JavaScript's own Date does not read.
    const done = await both([...end, '--at', at(-1).replace('Z', '+00'), '--yes', '--json']);
    expect(JSON.parse(done.out)).toMatchObject({ before: { ends_at: null }, after: { revision: 3 } });
    expect((await both(['check', 'OO111OO', '--area', 'S1'])).out).toMatch(/^has_valid_entitlement +false$/m);
  });

  it.each([
    [
      'a session that has ended by then: it would be longer',
      ['session', 'end', 'O-1', '--plate', 'OO111OO'],
      'It already ends before that',
    ],
    [
      'a session that the plate does not have',
      ['session', 'end', 'O-9', '--plate', 'OO111OO'],
      'The plate has no session O-9',
    ],
    ['a subscription that is not there', ['subscription', 'end', 'N-9'], 'There is no subscription N-9'],
    [
      'a subscription of a type that is not there',
      [
        ...['subscription', 'add', 'N-8', '--plate', 'OO111OO', '--type', 'NONE'],
        ...['--from', '01/01/2026', '--until', '31/01/2026'],
      ],
      'the municipality has no subscription type with this code',
    ],
  ])('refuses %s', async (_, args, words) => {
    const { code, err } = await both([...args, '--yes']);
    expect(code).toBe(1);
    expect(err).toContain(words);
  });

  it('of a subscription is added with the whole of its last day, and ended with all of its plates', async () => {
    const plates = ['--plate', 'OA111OA,OB111OB'];
    const add = ['subscription', 'add', 'N-1', ...plates, '--type', 'RES', '--from', '01/01/2026'];
    const added = await both([...add, '--until', '31/12/2099', '--area', 'S1', '--yes']);
    expect(added).toMatchObject({ code: 0, out: 'Done.\n' });
    expect(added.err).toMatch(/^≠ +periods +– +starts_at 2026-01-01 00:00, ends_at 2100-01-01 00:00$/m);
    expect((await both(['check', 'OB111OB', '--area', 'S1'])).out).toMatch(/^has_valid_subscription +true$/m);
    const again = await both([...add, '--until', '31/12/2099', '--yes']);
    expect([again.code, again.err]).toEqual([
      1,
      expect.stringContaining('There is a subscription N-1 already'),
    ]);

    const ended = await both(['subscription', 'end', 'N-1', '--yes']);
    expect(ended.err).toMatch(/^≠ +revoked_at +– +\d{4}-/m);
    const ofPlate = await both(['subscription', 'show', '--plate', 'OB111OB']);
    expect(ofPlate.out).toMatch(/^plates:\n.*\nOB111OB$/m);
    const shown = await both(['subscription', 'show', 'N-1']);
    expect(shown.out).toMatch(/^plates:\n.*\nOA111OA\nOB111OB$/m);
    expect(shown.out).toMatch(/^revoked_at +\d{4}-\d\d-\d\d /m);
    expect((await both(['check', 'OA111OA', '--area', 'S1'])).out).toMatch(
      /^has_valid_subscription +false$/m,
    );
  });

  it('of a subscription of other plates is not replaced by a new one of its number', async () => {
    const taken = {
      subscription_number: 'N-2',
      type: 'RES',
      approval: 'approved',
      areas: 'all',
      periods: [],
    };
    await asOperator(['import', 'subscriptions', '-'], {
      input: JSON.stringify({ ...taken, plates: [{ plate: 'OC111OC' }] }),
    });
    const add = ['subscription', 'add', 'N-2', '--plate', 'OD111OD', '--type', 'RES'];
    const { code, err } = await both([...add, '--from', '01/01/2026', '--until', '31/12/2099', '--yes']);
    expect([code, err]).toEqual([1, expect.stringContaining('There is a subscription N-2 already')]);
    expect((await both(['subscription', 'show', 'N-2'])).out).toMatch(/^plates:\n.*\nOC111OC$/m);
  });

  it('of a subscription is renewed by its number alone, and keeps all its plates and periods', async () => {
    const year = ['--from', '01/01/2026', '--until', '31/12/2026'];
    await both([
      ...['subscription', 'add', 'N-3', '--plate', 'OE111OE,OF111OF', '--type', 'RES', ...year, '--yes'],
    ]);
    const renew = ['subscription', 'renew', 'N-3', '--from', '01/01/2027', '--until', '31/12/2027'];
    const unasked = await both(renew);
    expect(unasked.code).toBe(2);
    expect(unasked.err).toMatch(/^≠ +periods .*2027-01-01 00:00, ends_at 2028-01-01 00:00$/m);
    expect(await both([...renew, '--yes'])).toMatchObject({ code: 0, out: 'Done.\n' });
    const { out } = await both(['subscription', 'show', 'N-3', '--json']);
    expect(JSON.parse(out)).toMatchObject({
      plates: [{ plate: 'OE111OE' }, { plate: 'OF111OF' }],
      periods: [{ starts_at: '2026-01-01T00:00:00+01:00' }, { starts_at: '2027-01-01T00:00:00+01:00' }],
    });
    const again = await both([...renew, '--yes']);
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('periods')]);
  });

  it('of a revoked subscription is renewed with a warning that it still counts for nothing', async () => {
    const { err } = await both([
      ...['subscription', 'renew', 'N-1', '--from', '01/01/2100', '--until', '31/12/2100', '--yes'],
    ]);
    expect(err).toMatch(/It is revoked from \d{4}-\d\d-\d\d .*still counts for nothing/);
  });

  it.each([
    ['01/03/2100', null, /It is suspended from 2100-03-01 00:00 on: until that ends/],
    ['01/03/2099', '2100-03-01', /It is suspended from 2099-03-01 00:00 until 2100-03-01 00:00/],
    ['01/03/2099', '2100-01-01', null],
    ['01/01/2101', null, null],
  ])(
    'of a subscription suspended from %s until %s is renewed with a warning where it matters',
    async (from, until, warning) => {
      const local = (day: string): string => `${day.split('/').reverse().join('-')}T00:00:00+01:00`;
      const line = {
        ...{ subscription_number: 'N-4', type: 'RES', plates: [{ plate: 'OG111OG' }], approval: 'approved' },
        ...{ areas: 'all', periods: [], suspended_from: local(from) },
        suspended_until: until === null ? null : local(until),
      };
      await asOperator(['import', 'subscriptions', '-'], { input: JSON.stringify(line) });
      const { err } = await both([
        'subscription',
        'renew',
        'N-4',
        '--from',
        '01/01/2100',
        '--until',
        '31/12/2100',
      ]);
      if (warning === null) expect(err).not.toContain('suspended from');
      else expect(err).toMatch(warning);
    },
  );

  it('is not looked up with an operator’s token alone, nor changed with the administrator’s alone', async () => {
    const show = ['session', 'show', 'OO111OO', '-m', 'H501'];
    // An office’s token is an access token too: the service says what this one lacks.
    expect(await asOperator(show)).toMatchObject({
      code: 1,
      err: expect.stringContaining('SCOPE_NOT_ALLOWED'),
    });
    const end = ['session', 'end', 'O-1', '--plate', 'OO111OO', '--at', at(-30), '-m', 'H501', '--yes'];
    expect(await asAdministrator(end)).toMatchObject({
      code: 2,
      err: expect.stringContaining('parking login'),
    });
  });

  it('is told in Italian where the environment speaks it', async () => {
    const italian = { environment: { LANG: 'it_IT.UTF-8' } };
    const none = await both(['subscription', 'show', '--plate', 'NN111NN'], italian);
    expect(none.err).toContain('La targa NN111NN non ha abbonamenti in H501.');
    const unknown = await both(['subscription', 'end', 'N-9', '--yes'], italian);
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('Non c’è un abbonamento N-9')]);
  });
});
