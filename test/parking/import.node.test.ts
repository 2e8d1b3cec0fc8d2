import { chmodSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BadRoad } from './bad-road.ts';
import { ADMIN_TOKEN, Desk, openCity, type RunningService, startService } from './office.ts';

const START_MS = 60_000;
const MAP = 'session_id=Codice,plate=Targa,area_code=Zona,starts_at=Inizio,ends_at=Fine';

let service: RunningService;
let desk: Desk;
let token: string;

beforeAll(async () => {
  service = await startService();
  token = await openCity(service);
  desk = new Desk();
}, START_MS);
afterAll(async () => {
  desk.leave();
  await service.stop();
});

const office = (args: readonly string[], environment: Record<string, string> = {}, input?: string) =>
  desk.run(args, {
    environment: { PARKING_URL: service.address, PARKING_TOKEN: token, ...environment },
    ...(input !== undefined && { input }),
  });

const sumOf = ({ out }: { out: string }): Record<string, unknown> => JSON.parse(out);

interface Rows {
  readonly name: string;
  readonly count: number;
  /** Every which row names a street that is not there; 0: none. */
  readonly lost?: number;
}

function csv({ name, count, lost = 0 }: Rows): string {
  const rows = Array.from({ length: count }, (_, index) => {
    const zone = lost > 0 && index % lost === 0 ? 'NOWHERE' : 'S1';
    return `${name}-${index};M${index};${zone};07/03/2026 10:${String(index % 60).padStart(2, '0')};07/03/2026 12:00`;
  });
  return `Codice;Targa;Zona;Inizio;Fine\r\n${rows.join('\r\n')}\r\n`;
}

describe('A table of sessions', () => {
  it('is imported by the municipality’s own time zone, which the service tells', async () => {
    const file = desk.write('soste.csv', csv({ name: 'zone', count: 3 }));
    const done = await office(['import', 'sessions', file, '--source', 'app1', '--map', MAP, '--json']);
    expect(done.code).toBe(0);
    expect(sumOf(done)).toMatchObject({ received: 3, created: 3, updated: 0, unchanged: 0, rejected: 0 });
    const exported = await office(['plate', 'export', 'M1', '--tenant', 'acme'], {
      PARKING_TOKEN: ADMIN_TOKEN,
    });
    expect(JSON.parse(exported.out).sessions).toMatchObject([
      { session_id: 'zone-1', starts_at: '2026-03-07T10:01:00+01:00' },
    ]);
  });

  it('does no harm when it is imported again, and says so', async () => {
    const file = desk.write('again.csv', csv({ name: 'again', count: 50 }));
    const args = ['import', 'sessions', file, '--source', 'app1', '--map', MAP];
    expect((await office(args)).out).toMatch(/^created +50$/m);
    const again = await office(args);
    expect(again.code).toBe(0);
    expect(again.out).toMatch(/^created +0$/m);
    expect(again.out).toMatch(/^unchanged +50$/m);
  });

  it('leaves out what was passed over', async () => {
    const file = desk.write('from.csv', csv({ name: 'from', count: 10 }));
    const done = await office([
      'import',
      'sessions',
      file,
      '--source',
      'app1',
      '--map',
      MAP,
      '--from-line',
      '8',
      '--json',
    ]);
    expect(sumOf(done)).toMatchObject({ received: 4, created: 4 });
  });
});

describe('Rejected lines', () => {
  it('are all in their file with their reasons, far more than the service lists, and can be imported from it once mended', async () => {
    const text = csv({ name: 'many', count: 1_000, lost: 3 }).replace('07/03/2026 10:05', 'domani');
    const file = desk.write('many.csv', text);
    const out = desk.path('rejected.csv');
    const args = ['import', 'sessions', file, '--source', 'app1', '--map', MAP];
    const done = await office([...args, '--rejected', out, '--json']);
    expect(done.code).toBe(1);
    expect(sumOf(done)).toMatchObject({ received: 1_000, created: 665, rejected: 335 });
    expect(statSync(out).mode & 0o777).toBe(0o600);

    const [header, ...rows] = readFileSync(out, 'utf8').trim().split('\n');
    expect(header).toBe('line;code;message;Codice;Targa;Zona;Inizio;Fine');
    expect(rows).toHaveLength(335);
    expect(rows[0]).toMatch(/^2;AREA_NOT_FOUND;.*;many-0;M0;NOWHERE;07\/03\/2026 10:00;/);
    expect(rows.filter((row) => row.includes('domani'))).toEqual([
      '7;INVALID_REQUEST;starts_at: domani is no time: write 2026-03-07 17:44, 07/03/2026 17:44 or 2026-03-07T17:44:00+01:00;many-5;M5;S1;domani;07/03/2026 12:00',
    ]);
    const numbers = rows.map((row) => Number(row.split(';')[0]));
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));

    const mended = desk.write(
      'mended.csv',
      `${header}\n${rows.join('\n')}\n`
        .replaceAll('NOWHERE', 'S1')
        .replaceAll('domani;', '07/03/2026 10:05;'),
    );
    const again = await office(['import', 'sessions', mended, '--source', 'app1', '--map', MAP, '--json']);
    expect(sumOf(again)).toMatchObject({ received: 335, created: 335, rejected: 0 });
  });

  it('never overwrite the file that is imported, by whatever path it is named', async () => {
    const text = csv({ name: 'same', count: 2, lost: 1 });
    const file = desk.write('same.csv', text);
    symlinkSync(file, desk.path('link.csv'));
    const args = ['import', 'sessions', file, '--source', 'app1', '--map', MAP, '--rejected'];
    for (const out of [file, desk.path('./x/../same.csv'), desk.path('link.csv')]) {
      const { code, err } = await office([...args, out]);
      expect(code).toBe(2);
      expect(err).toContain('is imported itself: rejected lines need another file');
      expect(readFileSync(file, 'utf8')).toBe(text);
    }
  });

  it('are for their owner alone, also in a file of before', async () => {
    const file = desk.write('again.csv', csv({ name: 'again', count: 2, lost: 1 }));
    const out = desk.write('again-rejected.csv', 'old');
    chmodSync(out, 0o644);
    await office(['import', 'sessions', file, '--source', 'app1', '--map', MAP, '--rejected', out]);
    expect(statSync(out).mode & 0o777).toBe(0o600);
  });

  it('of titles, whose codes can be wrong in many ways, are all told as well', async () => {
    const titles = Array.from({ length: 400 }, (_, index) =>
      JSON.stringify({
        ...{ subscription_number: `T-${index}`, approval: 'approved', plates: [], periods: [] },
        type: index % 7 === 0 ? 'NONE' : 'RES',
        areas: index % 2 === 0 ? ['S1', `X${index}`] : 'all',
      }),
    );
    const file = desk.write('titles.ndjson', `${titles.join('\n')}\n`);
    const out = desk.path('titles-rejected.ndjson');
    const done = await office(['import', 'subscriptions', file, '--rejected', out, '--json']);
    const rejected = titles.flatMap((_, index) => (index % 7 === 0 || index % 2 === 0 ? [index + 1] : []));
    expect(sumOf(done)).toMatchObject({ received: 400, rejected: rejected.length });
    const told = readFileSync(out, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(told.map(({ line }) => line)).toEqual(rejected);
    expect(new Set(told.map(({ code }) => code))).toEqual(
      new Set(['AREA_NOT_FOUND', 'SUBSCRIPTION_TYPE_NOT_FOUND']),
    );
  });

  it('are told on standard error where no file takes them: the first ten, and how many more', async () => {
    const file = desk.write('few.csv', csv({ name: 'few', count: 30, lost: 2 }));
    const { code, err } = await office(['import', 'sessions', file, '--source', 'app1', '--map', MAP]);
    expect(code).toBe(1);
    expect(err).toContain(`${file}:2: area_code:`);
    expect(err).toContain('… and 5 more: --rejected FILE writes all of them.');
  });

  it('are told within the failure where that is JSON', async () => {
    const file = desk.write('json.csv', csv({ name: 'json', count: 30, lost: 2 }));
    const { code, err } = await office([
      'import',
      'sessions',
      file,
      '--source',
      'app1',
      '--map',
      MAP,
      '--json',
    ]);
    expect(code).toBe(1);
    const { exit_code, notes } = JSON.parse(err);
    expect([exit_code, notes.length, notes[0]]).toEqual([
      1,
      11,
      expect.stringContaining(`${file}:2: area_code:`),
    ]);
  });
});

describe('A dry run', () => {
  it('finds what the import would find, and sends nothing', async () => {
    const file = desk.write('dry.csv', csv({ name: 'dry', count: 20, lost: 5 }).replace('M7;', 'ß;'));
    const args = ['import', 'sessions', file, '--source', 'app1', '--map', MAP, '--json'];
    const asAdministrator = { PARKING_TOKEN: ADMIN_TOKEN };
    const dry = await office([...args, '--dry-run', '--municipality', 'H501'], asAdministrator);
    expect(sumOf(dry)).toMatchObject({ dry_run: true, received: 20, good: 15, rejected: 5 });
    const real = await office(args);
    expect(sumOf(real)).toMatchObject({ created: 15, unchanged: 0, rejected: 5 });
  });

  it('needs no service', async () => {
    const file = desk.write('alone.csv', csv({ name: 'alone', count: 5 }));
    const { code, out } = await desk.run([
      'import',
      'sessions',
      file,
      '--map',
      MAP,
      '--timezone',
      'Europe/Rome',
      '--dry-run',
      '--json',
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ received: 5, good: 5, rejected: 0 });
  });
});

describe('A bad road', () => {
  /** Two parts. */
  const LINES = 20_000;
  const road = new BadRoad(() => service.address);
  let url: string;
  let file: string;

  beforeAll(async () => {
    url = await road.open();
    file = desk.write('long.csv', csv({ name: 'long', count: LINES }));
  });
  afterAll(() => road.close());

  const args = () => [
    'import',
    'sessions',
    file,
    '--source',
    'app1',
    '--map',
    MAP,
    '--timezone',
    'Europe/Rome',
  ];

  it('costs no line: a part whose answer was lost is sent again', async () => {
    road.failing((call) => call === 2);
    const done = await office([...args(), '--json'], { PARKING_URL: url });
    expect(done.code).toBe(0);
    const { received, created, unchanged, rejected } = sumOf(done);
    expect({ received, rejected }).toEqual({ received: LINES, rejected: 0 });
    expect(Number(created) + Number(unchanged)).toBe(LINES);
    expect(road.calls).toBeGreaterThan(2);
  }, 60_000);

  it('and a Ctrl-C leave a sum, the line to go on from, and nothing to undo', async () => {
    const held = road.holding(2);
    const running = desk.run(args(), {
      environment: { PARKING_URL: url, PARKING_TOKEN: token },
      started: (keys) => void held.then(() => keys.signal('SIGINT')),
    });
    const { code, out, err } = await running;
    expect(code).toBe(130);
    const [, sent = ''] = /^lines +([\d,]+)$/m.exec(out) ?? [];
    expect(Number(sent.replaceAll(',', ''))).toBeGreaterThan(10_000);
    const [, next = ''] = /--from-line (\d+)/.exec(err) ?? [];
    // The first line of the file has its titles.
    expect(Number(next)).toBe(Number(sent.replaceAll(',', '')) + 2);
    expect(err).toContain('the same command again does no harm');

    road.failing(() => false);
    const done = await office([...args(), '--from-line', next, '--json'], { PARKING_URL: url });
    expect(done.code).toBe(0);
    expect(sumOf(done)).toMatchObject({ received: LINES - Number(sent.replaceAll(',', '')), rejected: 0 });
  }, 60_000);

  it('that stays bad ends the import in words, with what is stored', async () => {
    road.breaking();
    const short = desk.write('short.csv', csv({ name: 'short', count: 5 }));
    const { code, out, err } = await office(
      ['import', 'sessions', short, '--source', 'app1', '--map', MAP, '--timezone', 'Europe/Rome'],
      { PARKING_URL: url, PARKING_PART_SECONDS: '2' },
    );
    expect(code).toBe(3);
    expect(out).toMatch(/^lines +0$/m);
    expect(err).toContain('--from-line 1');
    expect(err).toContain('NETWORK_ERROR');
  });

  it('that is bad from the beginning tells whoever went on from a line to go on from there, in JSON too', async () => {
    road.breaking();
    const file = desk.write('rest.csv', csv({ name: 'rest', count: 5 }));
    const { code, err } = await office([...args().with(2, file), '--from-line', '4', '--json'], {
      PARKING_URL: url,
      PARKING_PART_SECONDS: '1',
    });
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
    const { code, err } = await desk.run(['import', 'subscriptions', file], {
      environment: { PARKING_URL: url, PARKING_TOKEN: token },
      started: (keys) => void held.then(() => keys.signal('SIGINT')),
    });
    expect(code).toBe(130);
    expect(err).toContain('--from-line 1');
    expect(err).not.toContain('--from-line 151');
  }, 60_000);
});
