import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const TEST_MS = 300_000;
const ADMIN_TOKEN = 'administrator-of-the-restore-test-0123456789';
const TOKEN_KEY = 'token-key-of-the-restore-test-0123456789abcd';
const DIGEST_KEY = 'digest-key-of-the-restore-test-0123456789abcd';
const CREDENTIALS = '/api/v2/admin/credentials';
const CONFIGURATION = {
  tenants: [{ code: 'acme', name: 'Acme Parking' }],
  municipalities: [{ code: 'H501', name: 'Roma', timezone: 'Europe/Rome', tenant: 'acme' }],
};
/** What is put after the restore point, and again after the restore. */
const CONFIGURED_LATER = {
  municipalities: [{ code: 'L219', name: 'Torino', timezone: 'Europe/Rome', tenant: 'acme' }],
};

const stateDir = mkdtempSync(join(tmpdir(), 'restore-'));

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** The service, started by `npm start`'s own command on the one state directory, until the action is over. */
async function whileRunning<T>(action: (call: Call) => Promise<T>): Promise<T> {
  const port = await freePort();
  const child = spawn(
    process.execPath,
    ['tools/local/start.ts', '--empty', '--port', String(port), '--state', stateDir],
    { env: { ...process.env, ADMIN_TOKEN, TOKEN_KEY, DIGEST_KEY } },
  );
  try {
    await answering(port, child);
    return await action(async (method, path, body, token = ADMIN_TOKEN) => {
      const response = await fetch(`http://localhost:${port}${path}`, {
        method,
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    });
  } finally {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  }
}

type Call = (method: string, path: string, body?: object, token?: string) => Promise<Answer>;

async function answering(port: number, child: ChildProcess): Promise<void> {
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
  }
  while (!printed.includes(`http://localhost:${port}`)) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}:\n${printed}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
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

/** Where the local runtime keeps D1, and nothing else. */
function databaseDir(): string {
  const [file] = globSync(`${stateDir}/**/d1/**/*.sqlite`);
  if (file === undefined) throw new Error(`no database below ${stateDir}`);
  return dirname(file);
}

async function outcomeOf(call: Call, token: unknown): Promise<string> {
  const { status, body } = await call(
    'POST',
    '/api/v2/parking-entitlements/search',
    { plate: 'AB123CD', municipality_code: 'H501' },
    String(token),
  );
  return status === 200 ? '200' : (body.error as { code: string }).code;
}

async function issue(call: Call, name: string, municipalities = ['H501']): Promise<Record<string, unknown>> {
  const { status, body } = await call('POST', CREDENTIALS, {
    ...{ tenant: 'acme', name, scopes: ['plate_check'], municipalities },
  });
  expect(status).toBe(201);
  return body;
}

async function statuses(call: Call): Promise<Record<string, unknown>> {
  const { body } = await call('GET', CREDENTIALS);
  const rows = body.credentials as { name: string; status: string }[];
  return Object.fromEntries(rows.map(({ name, status }) => [name, status]));
}

it(
  'An older copy of the database, put back and taken through the runbook, revives nothing and ends in step',
  async () => {
    const [lost, moved] = await whileRunning(async (call) => {
      expect((await call('PUT', '/api/v2/admin/configuration', CONFIGURATION)).status).toBe(200);
      return [await issue(call, 'Lost'), await issue(call, 'Moved')];
    });
    const copy = join(stateDir, 'copy');
    cpSync(databaseDir(), copy, { recursive: true });

    const [next, later] = await whileRunning(async (call) => {
      expect((await call('PUT', '/api/v2/admin/configuration', CONFIGURED_LATER)).status).toBe(200);
      await call('POST', `${CREDENTIALS}/${lost?.credential_id}/revoke`);
      const rotated = await call('POST', `${CREDENTIALS}/${moved?.credential_id}/rotate`, {});
      return [rotated.body, await issue(call, 'Later', ['H501', 'L219'])];
    });
    const database = databaseDir();
    rmSync(database, { recursive: true });
    cpSync(copy, database, { recursive: true });

    await whileRunning(async (call) => {
      expect(await statuses(call)).toEqual({ Lost: 'active', Moved: 'active' });
      const passing = async () => [
        await outcomeOf(call, lost?.access_token),
        await outcomeOf(call, moved?.access_token),
        await outcomeOf(call, next?.access_token),
        await outcomeOf(call, later?.access_token),
      ];
      expect(await passing()).toEqual(['TOKEN_REVOKED', 'TOKEN_REVOKED', '200', '200']);

      expect((await call('PUT', '/api/v2/admin/configuration', CONFIGURED_LATER)).body).toMatchObject({
        created: 1,
      });
      expect((await call('POST', `${CREDENTIALS}/reconcile`)).body).toMatchObject({
        ...{ checked: 2, mended: 2, done: true },
      });
      expect((await call('POST', `${CREDENTIALS}/reconcile`)).body).toMatchObject({ mended: 0, done: true });
      expect(await statuses(call)).toEqual({ Lost: 'revoked', Moved: 'active' });

      const named = await call('PATCH', `${CREDENTIALS}/${later?.credential_id}`, {});
      expect(named.body).toMatchObject({ name: 'Later', municipalities: ['H501', 'L219'] });
      expect(await statuses(call)).toEqual({ Lost: 'revoked', Moved: 'active', Later: 'active' });
      expect(await passing()).toEqual(['TOKEN_REVOKED', 'TOKEN_REVOKED', '200', '200']);
    });
  },
  TEST_MS,
);
