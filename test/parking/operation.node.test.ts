import { beforeAll, describe, expect, it } from 'vitest';
import type { Done } from './office.ts';
import { asAdministrator, asOperator, desk, openOffice, START_MS, service, token } from './opened-office.ts';

openOffice();
/** Commands whose service is away, and which ask for seconds: they do so beside the other tests. */
const AWAY = { environment: { PARKING_URL: 'http://127.0.0.1:9' } };
const away: Record<string, Promise<Done>> = {};

beforeAll(async () => {
  away.doctor = asOperator(['doctor'], AWAY);
  away.check = asOperator(['check', 'A1'], AWAY);
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
  it('says who is entitled, with the sessions behind it', async () => {
    const { code, out, err } = await asOperator(['check', 'ab 123 cd', '--area', 'S1']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^plate +AB123CD$/m);
    expect(out).toMatch(/^place +Roma \(H501\), Via Roma \(S1\)$/m);
    expect(out).toMatch(/^entitled +yes$/m);
    expect(out).toMatch(/^A-1 +S1 .* valid$/m);
  });

  it('that ends in a no is an answer: its exit code is 0', async () => {
    const { code, out } = await asOperator(['check', 'ZZ999ZZ']);
    expect(code).toBe(0);
    expect(out).toMatch(/^entitled +no$/m);
  });

  it('decides for a gate', async () => {
    const { out } = await asOperator(['check', 'BB111BB', '--area', 'P1', '--event', 'entry']);
    expect(out).toMatch(/^gate +opens: .* \(VALID_PREPAID_FACILITY_SESSION\)$/m);
  });

  it('is the whole answer in JSON', async () => {
    const { out } = await asOperator(['check', 'AB123CD', '--json']);
    expect(JSON.parse(out)).toMatchObject({
      api_version: '2.0',
      has_valid_entitlement: true,
      sessions_count: 1,
    });
  });

  it('takes times as the municipality’s clocks show them, and refuses the future', async () => {
    const { code, err } = await asOperator(['check', 'AB123CD', '--at', '01/01/2099 10:00']);
    expect(code).toBe(1);
    expect(err).toContain('CHECKED_AT_IN_FUTURE');
  });
});

describe('Subscription options', () => {
  it('are a table of plans with prices', async () => {
    const { code, out } = await asOperator(['options', 'RR111RR', '--terminal', 'M1']);
    expect(code).toBe(0);
    expect(out).toContain('(OPTIONS_AVAILABLE)');
    expect(out).toMatch(/^101 +RESIDENTI MENSILE +€25\.00 +\d\d:\d\d \d\d\/\d\d\/\d{4}$/m);
  });
});

describe('The report', () => {
  it('is a table with bars, what is to come, and what the sources say', async () => {
    const { code, out } = await asOperator(['report', '--type', 'street']);
    expect(code).toBe(0);
    expect(out).toMatch(/^Roma \(H501\), streets {2}\d{4}-/);
    expect(out).toMatch(/^S1 +Via Roma +[█▏▎▍▌▋▊▉·]{16} +1\/40 +3 % +39 +39 +\d+$/m);
    expect(out).toContain('all sources report');
  });

  it('is one line of JSON for each look', async () => {
    const { out } = await asOperator(['report', '--json']);
    expect(out.trim().split('\n')).toHaveLength(1);
    expect(JSON.parse(out)).toMatchObject({ report: 'active_by_area', filters: { area_type: 'facility' } });
  });
});

describe('Evidence', () => {
  it('sets what was known then beside what is known now, and marks where they differ', async () => {
    const late = {
      session_id: 'L-1',
      plate: 'LL111LL',
      area_code: 'S1',
      starts_at: new Date(Date.now() - 3_600_000).toISOString(),
    };
    const asked = new Date().toISOString();
    await new Promise((resolve) => setTimeout(resolve, 20));
    await asOperator(['import', 'sessions', '-', '--source', 'app1'], { input: JSON.stringify(late) });

    const { code, out } = await asOperator(['evidence', 'LL111LL', '--at', asked, '--area', 'S1']);
    expect(code).toBe(0);
    expect(out).toMatch(/^≠ +has_valid_entitlement +false +true$/m);
    expect(out).toMatch(/^≠ +L-1 +– +valid, S1, .* → …$/m);
    expect(out).toContain('≠ What is known now leads to another answer.');
    const [before, after] = out.split(/├── .*\n/);
    expect(before).not.toContain('app1/L-1');
    expect(after).toMatch(/│ .* parking_session app1\/L-1 \(1:00:0\d late\): plate LL111LL, area_code S1/);
    expect(out).toMatch(/^app1 +App One +fresh/m);
  });

  it('says so where both agree', async () => {
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const { out } = await asOperator(['evidence', 'AB123CD', '--at', new Date().toISOString()]);
    expect(out).toContain('= What is known now leads to the same answer.');
    expect(out).not.toContain('≠');
  });
});

describe('A call', () => {
  it('is found by its request id by the administrator', async () => {
    const { out } = await asOperator(['options', 'RR111RR', '--json']);
    const { request_id: id }: { request_id: string } = JSON.parse(out);
    const { code, out: call } = await asAdministrator(['call', id]);
    expect(code).toBe(0);
    expect(call).toMatch(/^operation +subscription_options$/m);

    const unknown = await asAdministrator(['call', '00000000-0000-4000-8000-000000000000']);
    expect(unknown.code).toBe(1);
    expect(unknown.err).toContain('NOT_FOUND');
  });
});

describe('The doctor', () => {
  it('finds the service, the clock, and what the credential may do', async () => {
    const { code, out } = await asOperator(['doctor', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      ...{
        reachable: true,
        url: service.address,
        clock_ahead_seconds: 0,
        from_environment: ['PARKING_URL', 'PARKING_TOKEN'],
      },
      secrets: [
        {
          ...{ kind: 'access', state: 'works', credential_id: expect.stringMatching(/^[0-9a-f]{24}$/) },
          scopes: { plate_check: 'allowed', report: 'allowed', import: 'allowed', evidence: 'allowed' },
        },
        { kind: 'admin', state: 'not_set' },
      ],
    });
  });

  it('says what is missing: a service that does not answer, a secret that it does not know, none at all', async () => {
    expect((await away.doctor)?.code).toBe(3);
    const wrong = await asOperator(['doctor'], {
      environment: { PARKING_TOKEN: token.replace(/.$/, (last) => (last === '0' ? '1' : '0')) },
    });
    expect(wrong).toMatchObject({ code: 1, out: expect.stringContaining('is refused (TOKEN_INVALID)') });
    const none = await desk.run(['doctor'], { environment: { PARKING_URL: service.address } });
    expect(none).toMatchObject({ code: 2, out: expect.stringContaining('is not set') });
  }, 60_000);
});

describe('Every command', () => {
  it('ends with 3 where the service cannot be reached, and says what to do', async () => {
    const done = await away.check;
    expect(done).toMatchObject({ code: 3, out: '', err: expect.stringContaining('NETWORK_ERROR') });
    expect(done?.err).toContain('`parking doctor` looks.');
  }, 60_000);

  it('ends with 1 where the service refuses, and with 2 where it is used wrongly', async () => {
    expect((await asOperator(['check', 'A1', '--area', 'NOWHERE'])).code).toBe(1);
    expect((await asOperator(['check'])).code).toBe(2);
    expect((await asOperator(['check', 'A1', '--event', 'leap'])).code).toBe(2);
    expect((await asOperator(['chek', 'A1'])).err).toContain('(Did you mean check?)');
    expect((await asOperator(['config', 'get', 'H501'])).code).toBe(2);
  });

  it('says how to name a municipality that the credential may use', async () => {
    const { code, err } = await asOperator(['check', 'A1', '--municipality', 'L219']);
    expect(code).toBe(1);
    expect(err).toContain('(MUNICIPALITY_NOT_ALLOWED)');
    expect(err).toContain('Say another one: --municipality CODE');
  });

  it('tells its failures as JSON where its data would be JSON', async () => {
    const { out, err } = await asOperator(['check', 'A1', '--area', 'NOWHERE', '--json']);
    expect(out).toBe('');
    expect(JSON.parse(err)).toMatchObject({ ok: false, exit_code: 1, code: 'AREA_NOT_FOUND' });
  });

  it('has help with examples, in the language of the environment', async () => {
    const english = await asOperator(['check', '--help']);
    expect(english).toMatchObject({ code: 0, err: '' });
    expect(english.out).toContain('$ parking check AB123CD --area P1 --event entry');
    const italian = await asOperator(['help', 'report'], { environment: { LANG: 'it_IT.UTF-8' } });
    expect(italian.out).toContain('Mostra quanto sono pieni strade e parcheggi');
    expect(italian.out).toContain('Opzioni:');
  });
});

describe('Somebody who reads Italian', () => {
  const ITALIAN = { environment: { LANG: 'it_IT.UTF-8' } };
  const at = () => new Date(Date.now() + 1_000).toISOString();

  it('reads every status in Italian; JSON has the service’s own', async () => {
    const check = await asOperator(['check', 'AB123CD', '--area', 'S1'], ITALIAN);
    expect(check.out).toMatch(/^A-1 +S1 .* valida$/m);
    expect((await asOperator(['check', 'RR111RR'], ITALIAN)).out).toMatch(
      /^R-1 +approvato +FIRST_ACTIVATION/m,
    );
    expect((await asOperator(['options', 'RR111RR'], ITALIAN)).out).toMatch(
      /^operazione +(prima attivazione|rinnovo|nessuna)$/m,
    );
    const evidence = await asOperator(['evidence', 'AB123CD', '--at', at(), '--area', 'S1'], ITALIAN);
    expect(evidence.out).toMatch(/A-1 +valida, S1, /);
    expect(evidence.out).toMatch(/^app1 .* aggiornata /m);
    const list = await asAdministrator(['credential', 'list'], ITALIAN);
    expect(list.out).toMatch(/^\S+ .* acme +attiva /m);
    const json = await asOperator(['check', 'AB123CD', '--area', 'S1', '--json'], ITALIAN);
    expect(JSON.parse(json.out).sessions).toMatchObject([{ status: 'valid' }]);
  });

  it('reads one of a thing as one of it, as others do in English', async () => {
    const exported = ['plate', 'export', 'BB111BB', '--tenant', 'acme', '--out', desk.path('bb.json')];
    expect((await asAdministrator(exported, ITALIAN)).err).toMatch(/: 1 sosta, 0 abbonamenti, 1 modifica, /);
    const again = exported.with(-1, desk.path('bb-2.json'));
    expect((await asAdministrator(again)).err).toMatch(/: 1 session, 0 subscriptions, 1 change, /);
    const bad = ['import', 'sessions', '-', '--source', 'app1'];
    expect((await asOperator(bad, { input: '{}' })).err).toContain(
      '1 line was rejected. Mend it and import it again: the others are stored.',
    );
    expect((await asOperator(bad, { ...ITALIAN, input: '{}' })).err).toContain(
      '1 riga rifiutata. Correggerla e importarla di nuovo: le altre sono salvate.',
    );
    expect((await asOperator(bad, { ...ITALIAN, input: '{}\n[]' })).err).toContain(
      '2 righe rifiutate. Correggerle e importarle di nuovo',
    );
    const erased = await asAdministrator(['plate', 'erase', 'NN111NN', '--tenant', 'acme', '--yes'], ITALIAN);
    expect(erased.out).toBe('soste        0\nabbonamenti  0\nmodifiche    0\nchiamate     0\n');
  });
});
