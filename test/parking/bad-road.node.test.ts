import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RUN_SEED, shortOrThorough } from '../support/run-form.ts';
import { BadRoad } from './bad-road.ts';
import { CTRL_C } from './office.ts';
import { asOperator, desk, openOffice, operator, service } from './opened-office.ts';
import { csv, importing, sumOf } from './session-table.ts';

/** What moves a terminal's cursor up, or erases of its screen: the codes are those behind the escape character. */
const wipingIn = (printed: string): string[] =>
  printed.split('\x1b[').filter((code, index) => index > 0 && /^\d{0,3}[AJK]/.test(code));

openOffice();

describe('A bad road', () => {
  /** Four parts: of 64, 128 and 256 KiB, and a rest. */
  const LINES = 5_000;
  const road = new BadRoad(() => service.address);
  let url: string;
  let file: string;

  beforeAll(async () => {
    url = await road.open();
    file = desk.write('long.csv', csv({ name: 'long', count: LINES }));
  });
  afterAll(() => road.close());

  const args = () => importing(file, '--timezone', 'Europe/Rome');

  it('costs no line: a part whose answer was lost is sent again', async () => {
    road.failing((call) => call === 2);
    const done = await asOperator([...args(), '--json'], { environment: { PARKING_URL: url } });
    expect(done.code).toBe(0);
    const { received, created, unchanged, rejected } = sumOf(done);
    expect({ received, rejected }).toEqual({ received: LINES, rejected: 0 });
    expect(Number(created) + Number(unchanged)).toBe(LINES);
    expect(road.calls).toBeGreaterThan(2);
  }, 60_000);

  it('and a Ctrl-C leave a sum, the line to go on from, and nothing to undo', async () => {
    const held = road.holding(3);
    const running = asOperator(args(), {
      environment: { PARKING_URL: url },
      started: (keys) => void held.then(() => keys.signal('SIGINT')),
    });
    const { code, out, err } = await running;
    expect(code).toBe(130);
    const [, sent = ''] = /^lines +([\d,]+)$/m.exec(out) ?? [];
    expect(Number(sent.replaceAll(',', ''))).toBeGreaterThan(1_000);
    const [, next = ''] = /--from-line (\d+)/.exec(err) ?? [];
    // The first line of the file has its titles.
    expect(Number(next)).toBe(Number(sent.replaceAll(',', '')) + 2);
    expect(err).toContain('same command again: it does no harm');

    road.failing(() => false);
    const done = await asOperator([...args(), '--from-line', next, '--json'], {
      environment: { PARKING_URL: url },
    });
    expect(done.code).toBe(0);
    expect(sumOf(done)).toMatchObject({ received: LINES - Number(sent.replaceAll(',', '')), rejected: 0 });
  }, 60_000);

  it('and a Ctrl-C in a terminal leave on its screen what was rejected, and how to go on', async () => {
    const lost = desk.write('lost.csv', csv({ name: 'lost', count: LINES, lost: 1_000 }));
    const held = road.holding(3);
    const { out } = await desk.inTerminal(importing(lost, '--timezone', 'Europe/Rome'), {
      environment: { ...operator(), PARKING_URL: url },
      started: (keys) => void held.then(() => keys.type(CTRL_C)),
      watch: () => {},
    });
    const shown = out.slice(out.indexOf(`${lost}:2: Zona`));
    expect(shown).toContain(`${lost}:1002: Zona`);
    expect(shown.replaceAll(/\s+/g, ' ')).toMatch(/To skip stored lines: --from-line \d+/);
    // Nothing of it is taken from the screen again.
    expect(wipingIn(shown)).toEqual([]);
  }, 60_000);

  it('and a Ctrl-C never lead past rejected lines that nobody has named', async () => {
    const lost = desk.write('many.csv', csv({ name: 'many', count: LINES, lost: 10 }));
    const held = road.holding(2);
    const { err } = await asOperator(importing(lost, '--timezone', 'Europe/Rome'), {
      environment: { PARKING_URL: url },
      started: (keys) => void held.then(() => keys.signal('SIGINT')),
    });
    expect(err).toMatch(/… and \d+ more: --rejected FILE writes all of them\./);
    expect(err).toContain('With --rejected FILE it names every rejected line.');
    expect(err).not.toContain('--from-line');
  }, 60_000);

  it('on which an import is killed again and again ends with each rejected line named once', async () => {
    const lost = desk.write('killed.csv', csv({ name: 'killed', count: LINES, lost: 7 }));
    const out = desk.path('killed-rejected.csv');
    const command = importing(lost, '--timezone', 'Europe/Rome', '--rejected', out);
    const kills = fc.sample(fc.record({ call: fc.integer({ min: 1, max: 5 }), afterMs: fc.nat(100) }), {
      seed: RUN_SEED,
      numRuns: shortOrThorough(2, 10),
    });
    for (const { call, afterMs } of kills) {
      const reached = road.reaching(call);
      await asOperator(command, {
        environment: { PARKING_URL: url },
        started: ({ signal }) => void reached.then(() => setTimeout(() => signal('SIGKILL'), afterMs)),
      });
    }
    road.failing(() => false);
    const done = await asOperator([...command, '--json'], { environment: { PARKING_URL: url } });
    expect(sumOf(done)).toMatchObject({ received: LINES, rejected: Math.ceil(LINES / 7) });
    const [, ...rows] = readFileSync(out, 'utf8').trim().split('\n');
    expect(rows.map((row) => Number(row.split(';')[0]))).toEqual(
      Array.from({ length: Math.ceil(LINES / 7) }, (_, index) => 2 + index * 7),
    );
  }, 120_000);

  it('that stays bad ends the import in words, with what is stored', async () => {
    road.breaking();
    const short = desk.write('short.csv', csv({ name: 'short', count: 5 }));
    const { code, out, err } = await asOperator(importing(short, '--timezone', 'Europe/Rome'), {
      environment: { PARKING_URL: url, PARKING_PART_SECONDS: '2' },
    });
    expect(code).toBe(3);
    expect(out).toMatch(/^lines +0$/m);
    expect(err).toContain('--from-line 1');
    expect(err).toContain('NETWORK_ERROR');
  });

  it('that is bad from the beginning tells whoever went on from a line to go on from there, in JSON too', async () => {
    road.breaking();
    const file = desk.write('rest.csv', csv({ name: 'rest', count: 5 }));
    const { code, err } = await asOperator(
      importing(file, '--timezone', 'Europe/Rome', '--from-line', '4', '--json'),
      { environment: { PARKING_URL: url, PARKING_PART_SECONDS: '1' } },
    );
    expect(code).toBe(3);
    expect(JSON.parse(err)).toMatchObject({
      exit_code: 3,
      // On a slow machine the time is up before the road is given up.
      code: expect.stringMatching(/^(NETWORK_ERROR|TIMED_OUT)$/),
      notes: [expect.stringMatching(/before line 4, .*--from-line 4$/)],
    });
  });

  it('that swallows the reasons of rejected lines leaves them to be asked for again', async () => {
    const line = (index: number) => ({
      ...{ subscription_number: `R-${index}`, approval: 'approved', plates: [], periods: [], type: 'RES' },
      areas: ['S1', `X${index}`],
    });
    const lines = Array.from({ length: 150 }, (_, index) => JSON.stringify(line(index)));
    const file = desk.write('reasons.ndjson', `${lines.join('\n')}\n`);
    // The part is answered; the lines whose reasons were not in the answer, sent once more, are not.
    const held = road.holding(2);
    const { code, err } = await asOperator(['import', 'subscriptions', file], {
      environment: { PARKING_URL: url },
      started: (keys) => void held.then(() => keys.signal('SIGINT')),
    });
    expect(code).toBe(130);
    expect(err).toContain('before line 1,');
    expect(err).not.toContain('--from-line');
  }, 60_000);
});
