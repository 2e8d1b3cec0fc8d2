import { listDurableObjectIds, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { getTableColumns, getTableName, is } from 'drizzle-orm';
import { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { expect } from 'vitest';
import { normalizePlate } from '../../src/domain/plate.ts';
import * as schema from '../../src/storage/db/schema/index.ts';
import { ADMIN, type Service } from '../support/service.ts';

type Body = Record<string, unknown>;
type Found = [where: string, text: string];

export const EXPORT = '/api/v2/admin/plates/export';
export const ERASE = '/api/v2/admin/plates/erase';

export const NOTHING = { sessions: 0, subscriptions: 0, history: 0, payments: 0, calls: 0 };

/** What a tenant sees that it holds on a plate: the first page. */
export async function exportOf(service: Service, plate: string, tenant = 'acme'): Promise<Body> {
  return (await service.post(EXPORT, { tenant, plate }, ADMIN)).body;
}

/** Erases until there is no more, and sums up. */
export async function eraseAll(
  service: Service,
  plate: string,
  tenant = 'acme',
): Promise<Record<string, number>> {
  const sum: Record<string, number> = { ...NOTHING };
  for (let after: unknown = null; ; ) {
    const { status, body } = await service.post(ERASE, { tenant, plate, after }, ADMIN);
    expect(status).toBe(200);
    for (const [name, count] of Object.entries(body.erased as Record<string, number>)) {
      sum[name] = (sum[name] ?? 0) + count;
    }
    if (body.next === null) return sum;
    after = body.next;
  }
}

/** Imports lines, and answers the counts. */
export async function importLines(
  service: Service,
  headers: Record<string, string>,
  what: 'sessions' | 'subscriptions',
  lines: readonly object[],
): Promise<Body> {
  const body = lines.map((line) => JSON.stringify(line)).join('\n');
  const query = what === 'sessions' ? '?source_code=app1' : '';
  const call = { method: 'POST', body, headers: { 'Content-Type': 'application/x-ndjson', ...headers } };
  return (await service.call(`/api/v2/imports/${what}${query}`, call)).body;
}

/** Every text of every table of the schema in a database, with where it stands. */
export async function textsOfAllTables(db = env.DB): Promise<Found[]> {
  const tables = Object.values(schema).filter((table) => is(table, SQLiteTable));
  expect(tables.length).toBeGreaterThan(15);
  const read = await db.batch<Body>(
    tables.map((table) => db.prepare(`select * from ${getTableName(table)}`)),
  );
  return tables.flatMap((table, index) =>
    Object.values(getTableColumns(table)).flatMap(({ name }) =>
      (read[index]?.results ?? [])
        .map((row) => row[name])
        .filter((value) => typeof value === 'string')
        .map((text): Found => [`${getTableName(table)}.${name}`, text]),
    ),
  );
}

/** Every text that is kept anywhere: in tables, in KV with the names of its keys, and in objects. */
export async function textsKept(): Promise<Found[]> {
  const found = await textsOfAllTables();
  const { keys } = await env.SNAPSHOTS.list();
  expect(keys.length).toBeGreaterThan(0);
  for (const { name } of keys) {
    found.push(['a key', name], ['a value', (await env.SNAPSHOTS.get(name)) ?? '']);
  }
  const ids = await listDurableObjectIds(env.CREDENTIALS);
  for (const id of ids) {
    const stored = await runInDurableObject(env.CREDENTIALS.get(id), (_, { storage }) => [
      ...storage.kv.list(),
    ]);
    found.push(...stored.map((entry): Found => ['an object', JSON.stringify(entry)]));
  }
  expect(found.filter(([where]) => where === 'an object')).not.toEqual([]);
  return found;
}

/** What each character leaves of itself in a plate. */
const normalized = new Map<string, string>();

function normalize(character: string): string {
  let normal = normalized.get(character);
  if (normal === undefined) {
    normal = normalizePlate(character) ?? '';
    normalized.set(character, normal);
  }
  return normal;
}

/** Whether a text has a plate in any spelling that normalizes to it. */
export function spells(text: string, plate: string): boolean {
  const inStrings = [...text.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([json]) => {
    try {
      return String(JSON.parse(json));
    } catch {
      return json;
    }
  });
  return [text, ...inStrings].some((one) => Array.from(one, normalize).join('').includes(plate));
}
