import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RUN_SEED, shortOrThorough } from '../support/run-form.ts';
import { BadRoad } from './bad-road.ts';
import { CTRL_C } from './office.ts';
import { asOperator, desk, openOffice, operator, service } from './opened-office.ts';
import { csv, importing, sumOf } from './session-table.ts';

openOffice();

describe('A bad road', () => {
  /** Three parts. */
  const LINES = 25_000;
  const road = new BadRoad(() => service.address);
  let url: string;
  let file: string;

  beforeAll(async () => {
    url = await road.open();
    file = desk.write('long.csv', csv({ name: 'long', count: LINES, lost: 100 }));
  });
  afterAll(() => road.close());

  const args = (...more: string[]) => importing(file, '--timezone', 'Europe/Rome', ...more);
  const REJECTED = LINES / 100;

  it('costs no line: a part whose answer was lost is sent again', async () => {
    void road.will((call) => (call === 2 ? 'half_heard' : 'answered'));
    const done = await asOperator(args('--json'), { environment: { PARKING_URL: url } });
    const { received, created, unchanged, rejected } = sumOf(done);
    expect({ received, rejected }).toEqual({ received: LINES, rejected: REJECTED });
    expect(Number(created) + Number(unchanged)).toBe(LINES - REJECTED);
    expect(road.calls).toBeGreaterThan(3);
  }, 60_000);

  it('and a Ctrl-C leave a sum and nothing to undo: the same command completes the import', async () => {
    const held = road.will((call) => (call >= 3 ? 'held' : 'answered'), 3);
    const { out } = await desk.inTerminal(args(), {
      environment: { ...operator(), PARKING_URL: url },
      started: (keys) => void held.then(() => keys.type(CTRL_C)),
      watch: () => {},
    });
    const shown = out.replaceAll(/\s+/g, ' ');
    expect(shown).toContain('after 20000 lines. Run the same command again');
    expect(shown).toContain('Stopped.');

    void road.will(() => 'answered');
    const done = await asOperator(args('--json'), { environment: { PARKING_URL: url } });
    expect(sumOf(done)).toMatchObject({ received: LINES, created: 0, rejected: REJECTED });
  }, 60_000);

  it('on which an import is killed again and again ends with each rejected line named once', async () => {
    const out = desk.path('killed-rejected.csv');
    const command = args('--rejected', out);
    const kills = fc.sample(fc.record({ call: fc.integer({ min: 1, max: 3 }), afterMs: fc.nat(100) }), {
      seed: RUN_SEED,
      numRuns: shortOrThorough(2, 10),
    });
    for (const { call, afterMs } of kills) {
      const reached = road.will(() => 'answered', call);
      await asOperator(command, {
        environment: { PARKING_URL: url },
        started: ({ signal }) => void reached.then(() => setTimeout(() => signal('SIGKILL'), afterMs)),
      });
    }
    void road.will(() => 'answered');
    const done = await asOperator([...command, '--json'], { environment: { PARKING_URL: url } });
    expect(sumOf(done)).toMatchObject({ received: LINES, rejected: REJECTED });
    const [, ...rows] = readFileSync(out, 'utf8').trim().split('\n');
    expect(rows.map((row) => Number(row.split(';')[0]))).toEqual(
      Array.from({ length: REJECTED }, (_, index) => 2 + index * 100),
    );
  }, 120_000);

  it('that stays bad ends the import in words, with what is stored, in JSON too', async () => {
    void road.will(() => 'broken');
    const short = desk.write('short.csv', csv({ name: 'short', count: 5 }));
    const { code, out, err } = await asOperator(importing(short, '--timezone', 'Europe/Rome', '--json'), {
      environment: { PARKING_URL: url, PARKING_PART_SECONDS: '2' },
    });
    expect(code).toBe(3);
    expect(JSON.parse(out)).toMatchObject({ received: 0 });
    expect(JSON.parse(err)).toMatchObject({
      exit_code: 3,
      // On a slow machine the time is up before the road is given up.
      code: expect.stringMatching(/^(NETWORK_ERROR|TIMED_OUT)$/),
      notes: [expect.stringContaining('Run the same command again')],
    });
  });
});
