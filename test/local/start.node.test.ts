import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const START_MS = 90_000;
const SECRETS = {
  ADMIN_TOKEN: 'admin-of-the-test-that-is-long-enough',
  TOKEN_KEY: 'key-of-the-test-that-is-long-enough',
  DIGEST_KEY: 'digests-of-the-test-that-are-long-enough',
};
/** A printed command and, behind it, the outcome that it promises. */
const COMMAND = /^# \d+\. (.*)\n(curl [\s\S]*?)\n# → (.*)$/gm;

interface Started {
  readonly child: ChildProcess;
  readonly printed: string;
}

/** Runs what `npm start` runs, until it has printed what the pattern says. */
function start(port: number, stateDir: string, until: RegExp): Promise<Started> {
  const args = ['tools/local/start.ts', '--port', String(port), '--state', stateDir];
  return printing(spawn(process.execPath, args, { env: { ...process.env, ...SECRETS } }), until);
}

/** Waits until a process has printed what the pattern says. */
function printing(child: ChildProcess, until: RegExp): Promise<Started> {
  let printed = '';
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer) => {
      printed += chunk.toString();
      if (until.test(printed)) resolve({ child, printed });
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.on('exit', (code) => reject(new Error(`it ended with ${code}:\n${printed}`)));
  });
}

async function stop({ child }: Started, signal: NodeJS.Signals): Promise<unknown> {
  child.kill(signal);
  const [code] = await once(child, 'exit');
  return code;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

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
    first = await start(port, stateDir, /# 11\.[\s\S]*# → .*\n/);
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

  it('refuses a second service on its port, in words', async () => {
    await expect(start(port, stateDir, /never/)).rejects.toThrow(`Port ${port} is taken.`);
  });

  it(
    'ends when it is told to, leaves nothing behind, and starts again with the same data',
    async () => {
      expect(await stop(first, 'SIGINT')).toBe(0);
      await expect.poll(() => isTaken(port), { timeout: 10_000 }).toBe(false);

      const second = await start(port, stateDir, /# 11\.[\s\S]*# → .*\n/);
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
      const npm = spawn('npm', args, { env: { ...process.env, ...SECRETS } });
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
