import { beforeAll, describe, expect, it } from 'vitest';
import { asAdministrator, asOperator, desk, openOffice, START_MS, service, token } from './opened-office.ts';

openOffice();

beforeAll(async () => {
  const now = Date.now();
  const session = (id: string, plate: string, area: string, from: number, until: number | null) =>
    JSON.stringify({
      ...{ session_id: id, plate, area_code: area, starts_at: new Date(now + from * 60_000).toISOString() },
      ends_at: until === null ? null : new Date(now + until * 60_000).toISOString(),
    });
  const lines = [session('A-1', 'AB123CD', 'S1', -30, 60), session('B-1', 'BB111BB', 'P1', 5, 60)];
  const imported = await asOperator(['import', 'sessions', '-', '--source', 'app1', '--json'], {
    input: lines.join('\n'),
  });
  expect(JSON.parse(imported.out)).toMatchObject({ created: 2, rejected: 0 });
  const title = {
    ...{ subscription_number: 'R-1', type: 'RES', approval: 'approved', areas: 'all' },
    ...{ plates: [{ plate: 'RR111RR' }], periods: [] },
  };
  await asOperator(['import', 'subscriptions', '-'], { input: JSON.stringify(title) });
  await service.cron();
}, START_MS);

describe('A plate check', () => {
  it('is a record of the whole answer, with its sessions as a table', async () => {
    const { code, out, err } = await asOperator(['check', 'ab 123 cd', '--area', 'S1']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^plate +AB123CD$/m);
    expect(out).toMatch(/^municipality +Roma \(H501\)$/m);
    expect(out).toMatch(/^has_valid_entitlement +true$/m);
    expect(out).toMatch(/^sessions:\n.*\nA-1 .*Via Roma \(S1\).* valid +true$/m);
    expect(out).not.toMatch(/\d{4}-\d\d-\d\dT/);
  });

  it('of a service that cannot be reached is worth another try: its exit code is 3', async () => {
    const away = { environment: { PARKING_URL: 'http://127.0.0.1:9' } };
    const { code, out, err } = await asOperator(['check', 'AB123CD'], away);
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(err).toMatch(/cannot be reached: .*NETWORK_ERROR.*\n.*`parking profiles` shows the address/);
  });

  it('that ends in a no is an answer: its exit code is 0', async () => {
    const { code, out } = await asOperator(['check', 'ZZ999ZZ']);
    expect(code).toBe(0);
    expect(out).toMatch(/^has_valid_entitlement +false$/m);
  });

  it('decides for a gate', async () => {
    const { out } = await asOperator(['check', 'BB111BB', '--area', 'P1', '--event', 'entry']);
    expect(out).toMatch(/^access_granted +true$/m);
    expect(out).toMatch(/^access_reason_code +VALID_PREPAID_FACILITY_SESSION$/m);
  });

  it('is the whole answer in JSON', async () => {
    const { out } = await asOperator(['check', 'AB123CD', '--json']);
    expect(JSON.parse(out)).toMatchObject({
      ...{ success: true, api_version: '2.0', has_valid_entitlement: true, sessions_count: 1 },
    });
  });

  it('takes times as the municipality’s clocks show them, and refuses the future', async () => {
    const { code, err } = await asOperator(['check', 'AB123CD', '--at', '01/01/2099 10:00']);
    expect([code, err]).toEqual([1, expect.stringContaining('CHECKED_AT_IN_FUTURE')]);
    const unread = await asOperator(['check', 'AB123CD', '--at', 'yesterday']);
    expect([unread.code, unread.err]).toEqual([2, expect.stringContaining('yesterday is not a time')]);
  });

  it('fits a narrow terminal: cells are folded between words', async () => {
    const { out } = await asOperator(['check', 'AB123CD', '--area', 'S1'], { columns: 70 });
    const [record = ''] = out.split('\n\n');
    expect(record.split('\n').filter((line) => line.length > 70)).toEqual([]);
    expect(record.split('\n').length).toBeGreaterThan(5);
  });
});

describe('Subscription options', () => {
  it('are a table of plans', async () => {
    const { code, out } = await asOperator(['options', 'RR111RR', '--terminal', 'M1']);
    expect(code).toBe(0);
    expect(out).toMatch(/^result_code +OPTIONS_AVAILABLE$/m);
    expect(out).toMatch(/^101 +2500 +\d\d:\d\d \d\d\/\d\d\/\d{4} +RESIDENTI MENSILE/m);
  });
});

describe('The report', () => {
  it('is a table of what is free now and soon, and what the sources say', async () => {
    const { code, out } = await asOperator(['report', '--type', 'street']);
    expect(code).toBe(0);
    expect(out).toMatch(/^Roma \(H501\) {2}\d{4}-\d\d-\d\d /);
    expect(out).toMatch(/^Via Roma \(S1\) +1 +40 +2\.5 +39 +39 +\d+$/m);
    expect(out).toMatch(/^total +1 +40 /m);
    expect(out).toMatch(/^App One \(app1\) +fresh /m);
  });

  it('is one line of JSON for each look', async () => {
    const { out } = await asOperator(['report', '--json']);
    expect(out.trim().split('\n')).toHaveLength(1);
    expect(JSON.parse(out)).toMatchObject({ report: 'active_by_area', filters: { area_type: 'facility' } });
  });
});

describe('Evidence', () => {
  it('shows what was known then next to what is known now, and marks where they differ', async () => {
    const late = {
      ...{ session_id: 'L-1', plate: 'LL111LL', area_code: 'S1' },
      starts_at: new Date(Date.now() - 3_600_000).toISOString(),
    };
    const asked = new Date().toISOString();
    await new Promise((resolve) => setTimeout(resolve, 20));
    await asOperator(['import', 'sessions', '-', '--source', 'app1'], { input: JSON.stringify(late) });

    const { code, out } = await asOperator(['evidence', 'LL111LL', '--at', asked, '--area', 'S1']);
    expect(code).toBe(0);
    expect(out).toMatch(/^≠ +has_valid_entitlement +false +true$/m);
    expect(out).toMatch(/^≠ +session app1\/L-1 +– +.*Via Roma \(S1\)/m);
    expect(out).toMatch(/^differs +true$/m);
    expect(out).toMatch(/^history:\n.*\n.* L-1 .* false /m);
    expect(out).toMatch(/^app1 +App One +fresh/m);
  });

  it('marks nothing where both agree, and is the answer in JSON', async () => {
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const evidence = ['evidence', 'AB123CD', '--at', new Date().toISOString()];
    expect((await asOperator(evidence)).out).not.toContain('≠');
    expect(JSON.parse((await asOperator([...evidence, '--json'])).out)).toMatchObject({ differs: false });
  });

  it('names the officer of a patrol', async () => {
    const patrol = await fetch(`${service.address}/api/v2/patrol/checks`, {
      method: 'POST',
      headers: {
        ...{ Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        'Officer-Reference': 'badge-0417',
      },
      body: JSON.stringify({ checks: [{ id: '1', plate: 'LO111LO', area_code: 'S1' }] }),
    });
    expect(patrol.status).toBe(200);
    const evidence = ['evidence', 'LO111LO', '--at', new Date().toISOString(), '--area', 'S1'];
    // A call is logged after its answer.
    await expect.poll(async () => (await asOperator(evidence)).out).toMatch(/ patrol .*badge-0417/);
  });
});

describe('A call', () => {
  it('is found by its request id by the administrator', async () => {
    const { out } = await asOperator(['options', 'RR111RR', '--json']);
    const { request_id: id }: { request_id: string } = JSON.parse(out);
    const { code, out: call } = await asAdministrator(['call', id]);
    expect(code).toBe(0);
    expect(call).toMatch(/^operation +subscription_options$/m);
    expect(call).toMatch(/^request\.plate +RR111RR$/m);

    const unknown = await asAdministrator(['call', '00000000-0000-4000-8000-000000000000']);
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('NOT_FOUND')]);
  });
});

describe('The status', () => {
  it('is a record for the administrator alone', async () => {
    const { code, out } = await asAdministrator(['status']);
    expect(code).toBe(0);
    expect(out).toMatch(/^database\.schema +\d+$/m);
    expect(out).toMatch(/^late_sources +–$/m);
    const refused = await asOperator(['status']);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('TOKEN_NOT_SET')]);
  });
});

describe('A failure', () => {
  it('is JSON on standard error where the output is JSON, with what to do', async () => {
    const { code, out, err } = await asOperator(['check', 'ß', '--json']);
    expect([code, out]).toEqual([1, '']);
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
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(words);
  });
});
