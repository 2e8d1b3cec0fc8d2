import { env } from 'cloudflare:workers';
import { expect } from 'vitest';
import { HOUR_MS, instant } from '../../src/domain/instant.ts';
import type { MoveProgress } from '../../src/storage/db/schema/moves.ts';

/**
 * Uses what only a service of several databases does: once each, next to a city that lives in the home. The databases are
 * to be prepared before.
 */
export async function exerciseSeveral(): Promise<void> {
  const { ADMIN, bearer, Service } = await import('../support/service.ts');
  const { SEVERAL } = await import('../support/several.ts');
  const { city } = await import('../databases/nation.ts');
  const service = new Service(SEVERAL);
  const administrate = async (method: string, path: string, body?: object) => {
    const answer = await service.settle(path, { method, headers: ADMIN, ...(body && { body }) });
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  };
  const move = async (to: string): Promise<void> => {
    const { state } = await administrate('POST', '/api/v2/admin/municipalities/F205/move', { to });
    if (state !== 'done') await move(to);
  };

  await administrate('PUT', '/api/v2/admin/configuration', {
    municipalities: [city({ code: 'F205', name: 'Milano', database: 'DB_2' })],
  });
  await administrate('PUT', '/api/v2/admin/configuration', {
    municipalities: [{ code: 'F205', name: 'Mailand' }],
  });
  const { access_token } = await administrate('POST', '/api/v2/admin/credentials', {
    ...{ tenant: 'acme', name: 'All', municipalities: ['F205'], source_code: 'app1' },
    scopes: ['plate_check', 'evidence', 'import', 'subscription_payments'],
  });
  const headers = bearer(String(access_token));
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();
  await service.settle('/api/v2/imports/sessions?source_code=app1', {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/x-ndjson' },
    body: JSON.stringify({
      ...{
        session_id: 'S',
        plate: 'AB123CD',
        area_code: 'P1',
        starts_at: at(-HOUR_MS),
        ends_at: at(HOUR_MS),
      },
    }),
  });
  await service.settle('/api/v2/parking-entitlements/search', {
    method: 'POST',
    headers,
    body: { plate: 'AB123CD' },
  });
  const { steppingClock } = await import('../moves/backups.ts');
  const clock = steppingClock();
  for (let parts = 0; parts < 3; parts += 1) {
    await administrate('POST', '/api/v2/admin/municipalities/F205/move', { to: 'DB' });
  }
  clock.mockRestore();
  await move('DB');
  // The home is older than what the other database knows, as one that was restored.
  await env.SECOND.prepare("update municipalities set stay = 5 where code = 'F205'").run();
  await move('DB_2');
  await move('DB');
  const { runCron } = await import('../../src/crons.ts');
  await runCron('*/10 * * * *', { ...env, ...SEVERAL }, () => instant(Date.now()));
  // Something is erased once the writes are stopped: the copy starts over.
  await env.DB.prepare(
    `create trigger erased_meanwhile after update of writes_stopped_until on municipalities
     begin update moves set erasures = 1 where municipality_id = new.id; end`,
  ).run();
  const underWay = (db: D1Database, stay: number) =>
    db
      .prepare(
        `insert or replace into moves (municipality_id, from_database, to_database, stay, progress, begun_at)
         select id, 'DB', 'DB_2', ${stay}, ?1, unixepoch() * 1000 from municipalities where code = 'F205'`,
      )
      .bind(JSON.stringify(COPIED))
      .run();
  await underWay(env.DB, 8);
  await administrate('DELETE', '/api/v2/admin/municipalities/F205/move');
  await underWay(env.DB, 9);
  await underWay(env.SECOND, 9);
  await env.SECOND.prepare(
    "update municipalities set arriving = 1, stay = 9 where code = 'F205' and moved_to = 'DB'",
  ).run();
  await move('DB_2');
  await env.DB.prepare('drop trigger if exists erased_meanwhile').run();
  await service.settle('/api/v2/evidence/search', {
    method: 'POST',
    headers,
    body: { plate: 'AB123CD', at: new Date().toISOString() },
  });
  // The offer may be where the city lived before.
  await service.settle('/api/v2/parking-meters/subscription-payments', {
    method: 'POST',
    headers,
    body: {
      ...{ payment_id: 'P', plate: 'AB123CD', codice_tariffa: '101', importo_eurocent: 2_500 },
      ...{ collected_at: at(0), options_request_id: crypto.randomUUID() },
    },
  });
  // An arrival that was cut off is completed by whoever looks everywhere for a plate.
  await env.DB.prepare(`update municipalities set moved_to = 'DB_2' where code = 'F205'`).run();
  await env.SECOND.prepare(
    `update municipalities set moved_to = 'DB', arriving = 1 where code = 'F205'`,
  ).run();
  const { backUpPart, discardOf, restoreOf, serviceWithout } = await import('../moves/backups.ts');
  const { text, more } = await backUpPart(service, 'F205', null);
  expect(more).toBe(false);
  await administrate('POST', '/api/v2/admin/plates/export', { tenant: 'acme', plate: 'AB123CD' });
  await administrate('POST', '/api/v2/admin/plates/erase', { tenant: 'acme', plate: 'AB123CD' });
  await administrate('GET', '/api/v2/admin/databases');
  await administrate('GET', '/api/v2/admin/status');
  const lost = serviceWithout('DB_2');
  await restoreOf(lost, 'F205', text.replace('"more":false', '"more":true'));
  await discardOf(lost, 'F205');
  const restored = await restoreOf(lost, 'F205', text);
  expect(restored.body, JSON.stringify(restored.body)).toMatchObject({ state: 'done' });
}

/** A copy that is whole. */
const COPIED: MoveProgress = {
  step: 'copy',
  ...{ since: -1, asOf: 0, mark: '', position: null, taken: 0, erasures: 0, copied: 0 },
};
