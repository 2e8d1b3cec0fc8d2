import { execFile, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SHOWN } from '../../tools/local/demo/plates.ts';
import { freePort } from '../support/free-port.ts';
import { played, samplesIn } from './samples.ts';
import { environmentOf, PRINTED, printing, START_MS, type Started, start, stop } from './started.ts';

/** A printed command and, behind it, the outcome that it promises. */
const COMMAND = /^# \d+\. (.*)\n(curl [\s\S]*?)\n# → (.*)$/gm;

const isTaken = (port: number): Promise<boolean> =>
  fetch(`http://localhost:${port}/health`).then(
    () => true,
    () => false,
  );

const hasPython = spawnSync('python3', ['--version']).status === 0;
const PYTHON = ['python3', '-c'] as const;

const valueAt = (body: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => Object(value)[name], body);

describe('A start with the demonstration', () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'start-'));
  let port: number;
  let first: Started;

  beforeAll(async () => {
    port = await freePort();
    first = await start(port, stateDir, PRINTED);
  }, START_MS);
  afterAll(() => first?.child.kill('SIGTERM'));

  it('writes all commands, prints the gate’s and the sale’s, and each has the outcome that stands behind it', async () => {
    const file = join(stateDir, 'commands.sh');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const commands = [...readFileSync(file, 'utf8').matchAll(COMMAND)];
    expect(commands.length).toBeGreaterThan(50);
    const printed = [0, 2, 3].map((index) => commands[index]?.[0]);
    expect([...first.printed.matchAll(COMMAND)].map(([text]) => text)).toEqual(printed);
    await expectOutcomes(commands);
  });

  it('says in 43 lines where its pages are, with three commands, and each is there', async () => {
    const [, banner = ''] = first.printed.split(/(?=\nThe service answers on)/);
    expect(banner.trim().split('\n').length).toBeLessThanOrEqual(43);
    const addresses = ['/', '/cities/L219', '/cities/A944', '/board', '/office'].map(
      (path) => `http://localhost:${port}${path}`,
    );
    for (const address of addresses) {
      expect(banner.split(/\s/)).toContain(address);
      expect((await fetch(address)).status).toBe(200);
    }
    // What is made up is said to be.
    const torino = await (await fetch(`http://localhost:${port}/cities/L219`)).text();
    expect(torino).toContain('Piazza (esempio) 1');
  });

  it('has a city in good order, and one with a silent and a failing source', async () => {
    const qualityOf = async (code: string) => {
      const path = `/api/v2/public/municipalities/${code}/occupancy`;
      const answer = (await (await fetch(`http://localhost:${port}${path}`)).json()) as {
        data_quality: string;
      };
      return answer.data_quality;
    };
    expect(await qualityOf('L219')).toBe('good');
    expect(await qualityOf('A944')).toBe('degraded');
  });

  it(
    'fires its crons on their schedule: what the pages show is never older than a minute',
    async () => {
      const asOf = async () => {
        const answer = await fetch(`http://localhost:${port}/api/v2/public/municipalities/L219/occupancy`);
        return ((await answer.json()) as { as_of: string }).as_of;
      };
      const before = await asOf();
      await expect.poll(asOf, { timeout: 70_000 }).not.toBe(before);
    },
    START_MS,
  );

  it('prints five credentials, and keeps them for their owner alone', () => {
    expect(
      first.printed.match(
        /^ {2}(Barrier|Parking meter|Widget|Clerk|Parking office), [\w, /]+: pev_at_\w+$/gm,
      ),
    ).toHaveLength(5);
    expect(statSync(join(stateDir, 'demonstration-credentials.json')).mode & 0o777).toBe(0o600);
  });

  it('lets the command work at once in another terminal, by a profile with its data, and leaves the user’s own alone', async () => {
    const [, profiles = ''] = /PARKING_PROFILES=(\S+) npx parking report --watch/.exec(first.printed) ?? [];
    expect(statSync(profiles).mode & 0o777).toBe(0o600);
    expect(existsSync(join(stateDir, 'config/parking'))).toBe(false);
    const env = { ...process.env, PARKING_PROFILES: profiles };
    const { stdout } = await promisify(execFile)('npx', ['parking', 'report'], { env });
    expect(stdout).toMatch(/^Torino \(L219\)/);
    expect(stdout).toMatch(/^Bodoni \(BODONI\) /m);
  });

  describe('plays the documents as they are printed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'documents-'));
    const callers = () => {
      const tokens = JSON.parse(readFileSync(join(stateDir, 'demonstration-credentials.json'), 'utf8'));
      const URL = `http://localhost:${port}`;
      const of = (holder: string) => ({ URL, TOKEN: String(tokens[holder]) });
      return { office: of('office'), barrier: of('barrier'), meter: of('meter') };
    };

    it.each([
      ['docs/calling.md', 'office', 4],
      ['docs/gate.md', 'barrier', 2],
      ['docs/meter.md', 'meter', 6],
    ] as const)('%s in curl, with the token of its reader, the %s’s', async (page, holder, count) => {
      const samples = samplesIn(page, 'sh');
      expect(samples).toHaveLength(count);
      for (const { script, expected } of samples) {
        expect(expected).not.toBe('');
        expect(await played(['sh', '-c'], script, callers()[holder], folder)).toContain(expected);
      }
    });

    it.runIf(hasPython)('docs/calling.md in Python', async () => {
      const [sample] = samplesIn('docs/calling.md', 'python');
      const script = sample?.script ?? '';
      expect(await played(PYTHON, script, callers().office, folder)).toBe(`${sample?.expected}\n`);
      const away = { ...callers().office, URL: 'http://127.0.0.1:9' };
      expect(await played(PYTHON, script, away, folder)).toBe('ask the attendant\n');
    });

    it.runIf(hasPython)(
      'docs/meter.md in Python, which loses no payment where the service is away',
      async () => {
        const [{ script, expected } = { script: '', expected: '' }] = samplesIn('docs/meter.md', 'python');
        const { meter } = callers();
        const away = { ...meter, URL: 'http://127.0.0.1:9' };
        expect(await played(PYTHON, script, away, folder)).toBe('Nothing can be sold at the moment.\n');
        const printed = await played(PYTHON, script, meter, folder);
        const receipt = /^DE402MO: 25.00 EUR, valid until \d\d:\d\d \d\d\/\d\d\/\d{4}$/m;
        expect(printed).toMatch(receipt);
        expect(printed).toMatch(new RegExp(`^reversed\n${expected}\n$`, 'm'));

        const functions = script.slice(0, script.indexOf('# A sale'));
        const payment = {
          ...{ payment_id: 'AWAY-1', plate: 'DE402MO', codice_tariffa: '101', importo_eurocent: 2_500 },
          collected_at: new Date().toISOString(),
        };
        const keep = (changed: object) => `keep("pay", ${JSON.stringify({ ...payment, ...changed })})`;
        const taken = [functions, keep({}), 'send(receipt)'].join('\n');
        expect(await played(PYTHON, taken, away, folder)).toBe('');
        const refused = keep({ payment_id: 'AWAY-2', plate: '' });
        const other = keep({ payment_id: 'AWAY-3', plate: 'DE 301 MO' });
        const later = [functions, refused, other, 'send(receipt)', 'print(*OUTBOX.glob("*"))'].join('\n');
        const [first, second, left] = (await played(PYTHON, later, meter, folder)).split('\n');
        expect(first).toMatch(receipt);
        expect(second).toMatch(/^DE301MO: .* Your payment is AWAY-3\.$/);
        expect(left).toBe('outbox/AWAY-2.pay.refused');
      },
    );

    it.runIf(hasPython)('docs/gate.py, which opens for the cars that the service opens for', async () => {
      const cars = SHOWN.flatMap(({ plate, shows = {} }) =>
        Object.entries(shows).flatMap(([question, code]) => {
          const [event = '', area] = question.split(' ');
          return area === 'BOLZANO' && event !== 'check'
            ? [{ plate, event, opens: code.startsWith('VALID_') }]
            : [];
        }),
      );
      expect(new Set(cars.map(({ opens }) => opens))).toEqual(new Set([true, false]));
      const asked = cars.flatMap(({ plate, event }) => [plate, event]);
      const { stdout } = await promisify(execFile)('python3', ['docs/gate.py', ...asked], {
        env: { ...process.env, ...callers().barrier },
      });
      expect(stdout.trim().split('\n')).toEqual(
        cars.map(({ opens }) => (opens ? 'open' : 'ask the attendant')),
      );
    });
  });

  it('refuses a second service on its port, in words', async () => {
    await expect(start(port, stateDir, /never/)).rejects.toThrow(`Port ${port} is taken. Choose another`);
  });

  it(
    'ends on a signal, leaves nothing behind, and starts again by npm with the same data',
    async () => {
      expect(statSync(stateDir).mode & 0o777).toBe(0o700);
      expect(await stop(first, 'SIGINT')).toBe(0);
      await expect.poll(() => isTaken(port)).toBe(false);

      const [line = '', ...more] = await printedByNpm(port, stateDir, ['--json']);
      expect(more).toEqual([]);
      const { address, tokens } = JSON.parse(line);
      expect(address).toBe(`http://localhost:${port}`);
      const printed = first.printed.match(/pev_at_\w+/g) ?? [];
      expect(Object.values(tokens)).toEqual(expect.arrayContaining([...new Set(printed)]));
    },
    START_MS,
  );
});

/** Runs printed commands, and compares what each answers with what stands behind it. */
async function expectOutcomes(commands: readonly RegExpExecArray[]): Promise<void> {
  for (const [, title, command = '', promised = ''] of commands) {
    const { stdout } = await promisify(execFile)('sh', ['-c', command]);
    const [body = '', status] = stdout.trim().split('\n');
    const [promisedStatus, ...fields] = promised.split(', ');
    const answer: unknown = JSON.parse(body);
    const seen = fields.map((field) => {
      const [path = ''] = field.split(': ');
      return `${path}: ${valueAt(answer, path)}`;
    });
    expect({ title, outcome: [status, ...seen] }).toEqual({ title, outcome: [promisedStatus, ...fields] });
  }
}

/** What a start by npm prints of its own, until npm alone gets a signal: then all of its processes do. */
async function printedByNpm(port: number, stateDir: string, options: readonly string[]): Promise<string[]> {
  const args = ['start', '--', '--port', String(port), '--state', stateDir, ...options];
  const npm = spawn('npm', args, { env: environmentOf(stateDir) });
  const { printed } = await printing(npm, /http:.*\n/);
  const running = await processesOf(port, stateDir);
  expect(running.filter((line) => line.includes('workerd'))).not.toEqual([]);

  npm.kill('SIGTERM');
  await expect.poll(() => processesOf(port, stateDir)).toEqual([]);
  expect(await isTaken(port)).toBe(false);
  return printed.split('\n').filter((line) => line !== '' && !/^(>|npm )/.test(line));
}

/** The processes whose command names the port or the folder: npm, the shell, Wrangler and its runtime. */
async function processesOf(port: number, stateDir: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid=,args=']);
  return stdout.split('\n').filter((line) => line.includes(stateDir) || line.includes(`:${port} `));
}
