import { cpSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { migrate } from '../../tools/local/migrations.ts';
import { ADMIN_TOKEN, launch } from '../bench/runtime.ts';

/** For three starts of the runtime, on a busy machine. */
const TEST_MS = 300_000;
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

/** The service as it would be deployed, on the one state directory, until the action is over. */
async function whileRunning<T>(action: (call: Call) => Promise<T>): Promise<T> {
  const { miniflare, address, stop } = await launch(['service'], { folder: stateDir });
  try {
    await migrate(await miniflare.getD1Database('DB', 'service'));
    const origin = await address('service');
    return await action(async (method, path, body, token = ADMIN_TOKEN) => {
      const response = await fetch(origin + path, {
        method,
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    });
  } finally {
    await stop();
  }
}

type Call = (method: string, path: string, body?: object, token?: string) => Promise<Answer>;

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
      const rotated = await call('POST', `${CREDENTIALS}/${moved?.credential_id}/rotate`, {
        overlap_seconds: 0,
      });
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
      for (const { credential_id } of [lost, moved]) {
        expect((await call('PATCH', `${CREDENTIALS}/${credential_id}`, {})).status).toBe(200);
      }
      expect(await statuses(call)).toEqual({ Lost: 'revoked', Moved: 'active' });

      const named = await call('PATCH', `${CREDENTIALS}/${later?.credential_id}`, {});
      expect(named.body).toMatchObject({ name: 'Later', municipalities: ['H501', 'L219'] });
      expect(await statuses(call)).toEqual({ Lost: 'revoked', Moved: 'active', Later: 'active' });
      expect(await passing()).toEqual(['TOKEN_REVOKED', 'TOKEN_REVOKED', '200', '200']);
    });
  },
  TEST_MS,
);
