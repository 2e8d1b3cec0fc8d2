import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  environmentOf,
  freePort,
  PRINTED,
  printing,
  START_MS,
  type Started,
  start,
  stop,
} from './started.ts';

/** A printed command and, behind it, the outcome that it promises. */
const COMMAND = /^# \d+\. (.*)\n(curl [\s\S]*?)\n# → (.*)$/gm;

const isTaken = (port: number): Promise<boolean> =>
  fetch(`http://localhost:${port}/health`).then(
    () => true,
    () => false,
  );

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

  it('prints eleven commands, and each has the outcome that stands behind it', async () => {
    const commands = [...first.printed.matchAll(COMMAND)];
    expect(commands).toHaveLength(11);
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
  });

  it('prints four credentials, and keeps them for their owner alone', () => {
    expect(
      first.printed.match(/^ {2}(Barrier|Parking meter|Widget|Clerk), [\w ]+: pev_at_\w+$/gm),
    ).toHaveLength(4);
    expect(statSync(join(stateDir, 'demonstration-credentials.json')).mode & 0o777).toBe(0o600);
  });

  it('lets the office’s command work at once in another terminal, by a profile for its owner alone', async () => {
    expect(first.printed).toContain('npx parking report --watch');
    expect(statSync(join(stateDir, 'config/parking/profiles.json')).mode & 0o777).toBe(0o600);
    const env = { ...process.env, XDG_CONFIG_HOME: join(stateDir, 'config'), LANG: 'C' };
    const { stdout } = await promisify(execFile)('npx', ['parking', 'report'], { env });
    expect(stdout).toMatch(/^Torino \(L219\), car parks/);
    expect(stdout).toMatch(/^BODONI +Bodoni/m);
    const doctor = await promisify(execFile)('npx', ['parking', 'doctor', '--json'], { env });
    expect(JSON.parse(doctor.stdout)).toMatchObject({
      profile: 'demo',
      service_version: expect.stringMatching(/^\d+\.\d+/),
      secrets: [{ state: 'works' }, { state: 'works' }],
    });
  });

  it('refuses a second service on its port, in words', async () => {
    await expect(start(port, stateDir, /never/)).rejects.toThrow(`Port ${port} is taken.`);
  });

  it(
    'ends when it is told to, leaves nothing behind, and starts again with the same data',
    async () => {
      expect(await stop(first, 'SIGINT')).toBe(0);
      await expect.poll(() => isTaken(port), { timeout: 10_000 }).toBe(false);

      const second = await start(port, stateDir, PRINTED);
      const tokens = (text: string) => text.match(/pev_at_\w+/g);
      expect(tokens(second.printed)).toEqual(tokens(first.printed));
      expect(await stop(second, 'SIGTERM')).toBe(0);
    },
    START_MS,
  );
});

/** The processes whose command names the port or the folder: npm, the shell, Wrangler and its runtime. */
async function processesOf(port: number, stateDir: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid=,args=']);
  return stdout.split('\n').filter((line) => line.includes(stateDir) || line.includes(`:${port} `));
}

describe('A start by npm', () => {
  it(
    'ends with all of its processes when npm alone is told to end',
    async () => {
      const stateDir = mkdtempSync(join(tmpdir(), 'npm-start-'));
      const port = await freePort();
      const args = ['start', '--', '--port', String(port), '--state', stateDir, '--empty'];
      const npm = spawn('npm', args, { env: environmentOf(stateDir) });
      await printing(npm, /The service answers on/);
      const running = await processesOf(port, stateDir);
      expect(running.filter((line) => line.includes('workerd'))).not.toEqual([]);

      npm.kill('SIGTERM');
      await expect.poll(() => processesOf(port, stateDir), { timeout: 20_000 }).toEqual([]);
      expect(await isTaken(port)).toBe(false);
    },
    START_MS,
  );
});
