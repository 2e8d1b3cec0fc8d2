import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { freePort } from '../support/free-port.ts';

/** How long a test may wait for {@link startService}. */
export const START_MS = 90_000;

/** The secrets that it runs with. */
export const SECRETS = {
  ADMIN_TOKEN: 'admin-of-the-test-that-is-long-enough',
  TOKEN_KEY: 'key-of-the-test-that-is-long-enough',
};

/** The real service, as `npm start -- --empty` runs it, on a port and with a state of its own. */
export interface StartedService {
  readonly address: string;
  /** Calls an operation of the administrator, which must succeed. */
  readonly administer: (method: string, path: string, body: object) => Promise<Record<string, unknown>>;
  /** The token of a new credential, of Torino's tenant `acme` unless it says otherwise. */
  readonly tokenOf: (credential: object) => Promise<string>;
  readonly stop: () => Promise<void>;
}

export async function startService(): Promise<StartedService> {
  const folder = mkdtempSync(join(tmpdir(), 'service-'));
  const port = await freePort();
  const address = `http://localhost:${port}`;
  const process = await started(port, folder);
  const administer: StartedService['administer'] = async (method, path, body) => {
    const headers = { Authorization: `Bearer ${SECRETS.ADMIN_TOKEN}`, 'Content-Type': 'application/json' };
    const answer = await fetch(address + path, { method, headers, body: JSON.stringify(body) });
    expect(answer.ok, `${method} ${path} was answered with ${answer.status}`).toBe(true);
    return (await answer.json()) as Record<string, unknown>;
  };
  return {
    ...{ address, administer },
    tokenOf: async (credential) => {
      const input = { tenant: 'acme', name: 'Of the test', municipalities: ['L219'], ...credential };
      return String((await administer('POST', '/api/v2/admin/credentials', input)).access_token);
    },
    stop: async () => {
      process.kill('SIGTERM');
      if (process.exitCode === null) await once(process, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function started(port: number, folder: string): Promise<ChildProcess> {
  const child = spawn(
    process.execPath,
    ['tools/local/start.ts', '--port', String(port), '--state', folder, '--empty'],
    { env: { ...process.env, ...SECRETS } },
  );
  let printed = '';
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer) => {
      printed += chunk.toString();
      if (printed.includes('The service answers on')) resolve(child);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('exit', (code) => reject(new Error(`it ended with ${code}:\n${printed}`)));
  });
}
