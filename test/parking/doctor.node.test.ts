import { beforeAll, describe, expect, it } from 'vitest';
import type { Done } from './office.ts';
import { asAdministrator, asOperator, desk, openOffice, service, token } from './opened-office.ts';

openOffice();
/** Commands whose service is away, and which ask for seconds: they do so while the other tests run. */
const AWAY = { environment: { PARKING_URL: 'http://127.0.0.1:9' } };
const away: Record<string, Promise<Done>> = {};

beforeAll(() => {
  away.doctor = asOperator(['doctor'], AWAY);
  away.check = asOperator(['check', 'A1'], AWAY);
});

describe('The doctor', () => {
  it('finds the service, the clock, and whose credential it is and what it may do', async () => {
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
          scopes: { plate_check: 'allowed', import: 'allowed', entitlement_list: 'not_allowed' },
          credential: expect.objectContaining({ name: 'Office', municipalities: ['H501'] }),
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
    expect(done?.err).toContain('`parking doctor` checks.');
  }, 60_000);

  it('ends with 1 where the service refuses, and with 2 where it is used wrongly', async () => {
    expect((await asOperator(['check', 'A1', '--area', 'NOWHERE'])).code).toBe(1);
    expect((await asOperator(['config', 'get', 'H501'])).code).toBe(1);
    expect((await asOperator(['check'])).code).toBe(2);
    expect((await asOperator(['check', 'A1', '--event', 'leap'])).code).toBe(2);
    expect((await asOperator(['chek', 'A1'])).err).toContain('(Did you mean check?)');
  });

  it('shows an operator the status of the service, in both languages', async () => {
    const status = await asAdministrator(['status']);
    expect(status).toMatchObject({ code: 0, err: '' });
    expect(status.out).toMatch(/^DB +\d+ MiB, schema \d+$/m);
    expect(status.out).toMatch(/^sources +none is late$/m);
    expect(status.out).toMatch(/^set wrong +nothing$/m);
    expect(status.out).not.toMatch(/\d{4}-\d\d-\d\dT/);
    const italian = await asAdministrator(['status'], { environment: { LANG: 'it_IT.UTF-8' } });
    expect(italian.out).toMatch(/^sorgenti +nessuna in ritardo$/m);
    expect(JSON.parse((await asAdministrator(['status', '--json'])).out)).toMatchObject({ late_sources: [] });
    expect((await asOperator(['status'])).code).toBe(2);
  });

  it('says how to name a municipality that the credential may use', async () => {
    const { code, err } = await asOperator(['check', 'A1', '--municipality', 'L219']);
    expect(code).toBe(1);
    expect(err).toContain('(MUNICIPALITY_NOT_ALLOWED)');
    expect(err).toContain('Choose another one: --municipality CODE');
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
