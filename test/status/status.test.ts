import { env } from 'cloudflare:workers';
import { drizzle } from 'drizzle-orm/d1';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCron } from '../../src/crons.ts';
import { HOUR_MS, instant, MINUTE_MS } from '../../src/domain/instant.ts';
import type { Env } from '../../src/env.ts';
import { KNOWN_SCHEMA, moves, sourceImports, sources } from '../../src/storage/db/schema/index.ts';
import { AT_START } from '../../src/upkeep/transfer/moves-table.ts';
import { countedBindings, databaseDouble, snapshotsDouble } from '../support/doubles.ts';
import { CITY, ROME, seed, TENANT } from '../support/seed.ts';
import { ADMIN, Service } from '../support/service.ts';
import { freshCity, PLACES, prepareSeveral, SEVERAL } from '../support/several.ts';
import { stopClock } from '../support/stopped-clock.ts';

const NOW = Date.now();
const NO_DATABASE = databaseDouble({ around: () => Promise.reject(new Error('away')) });

async function status(replaced: Partial<Env> = {}): Promise<Record<string, unknown>> {
  const answer = await new Service(replaced).call('/api/v2/admin/status', { headers: ADMIN });
  expect(answer.status).toBe(200);
  return answer.body;
}

/** A source that the city has besides its own, with its last import. */
async function addSource(
  source: Partial<typeof sources.$inferInsert>,
  imported: Partial<typeof sourceImports.$inferInsert> | null,
): Promise<void> {
  const orm = drizzle(env.DB);
  const [row] = await orm
    .insert(sources)
    .values({
      municipalityId: 1,
      code: 'added',
      name: 'Added',
      category: 'app',
      active: true,
      isSystem: false,
      staleAfterMinutes: 60,
      reportDelayMinutes: 5,
      openSessionMaxHours: 24,
      ...source,
    })
    .returning({ id: sources.id });
  if (imported === null || row === undefined) return;
  await orm.insert(sourceImports).values({
    sourceId: row.id,
    lastFinishedAt: NOW,
    lastOutcome: 'succeeded',
    lastSuccessfulAt: NOW,
    lastRequestId: '',
    ...imported,
  });
}

const [HOME] = PLACES;

beforeEach(async () => {
  await freshCity(CITY, HOME);
  await prepareSeveral();
  stopClock(NOW);
});
afterEach(() => void vi.useRealTimers());

describe('The status', () => {
  it('of a service where all is well names nothing that is wrong', async () => {
    await runCron('* * * * *', env, () => instant(NOW));
    await runCron('17 * * * *', env, () => instant(NOW));
    expect(await status()).toMatchObject({
      version: expect.any(String),
      databases: [{ name: 'DB', size_bytes: expect.any(Number), schema: KNOWN_SCHEMA, reachable: true }],
      late_sources: [],
      snapshots: { oldest_at: new Date(NOW).toISOString() },
      retention: { last_run_at: new Date(NOW).toISOString(), behind: false },
      moves: [],
      failing: [],
    });
  });

  it.each<[string, Parameters<typeof addSource>[0], Parameters<typeof addSource>[1], readonly string[]]>([
    ['succeeded as long ago as it may', {}, { lastSuccessfulAt: NOW - 60 * MINUTE_MS }, []],
    ['succeeded longer ago', {}, { lastSuccessfulAt: NOW - 60 * MINUTE_MS - 1 }, ['stale']],
    ['failed', {}, { lastOutcome: 'failed' }, ['error']],
    ['failed, and never succeeded', {}, { lastOutcome: 'failed', lastSuccessfulAt: null }, ['error']],
    ['never came', {}, null, []],
    ['failed for a source that is switched off', { active: false }, { lastOutcome: 'failed' }, []],
    ['failed for the city’s own system', { isSystem: true }, { lastOutcome: 'failed' }, []],
  ])('of a source whose last import %s', async (_, source, imported, late) => {
    await addSource(source, imported);
    const { late_sources: found } = await status();
    expect(found).toEqual(
      late.map((said) =>
        expect.objectContaining({ municipality_code: 'H501', source_code: 'added', status: said }),
      ),
    );
  });

  it('names 200 late sources at most', async () => {
    await addSource({ code: 's0' }, { lastOutcome: 'failed' });
    await env.DB.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 202)
       insert into sources (municipality_id, code, name, category, active, is_system, stale_after_minutes,
         report_delay_minutes, open_session_max_hours)
       select municipality_id, 's' || i, name, category, active, is_system, stale_after_minutes,
         report_delay_minutes, open_session_max_hours
       from sources, n where code = 's0'`,
    ).run();
    await env.DB.prepare(
      `insert or ignore into source_imports (source_id, last_finished_at, last_outcome, last_request_id)
       select sources.id, last_finished_at, last_outcome, last_request_id from sources, source_imports
       where code glob 's[0-9]*'`,
    ).run();
    expect((await status()).late_sources).toHaveLength(200);
  });

  it.each<[string, Partial<Env>, readonly boolean[]]>([
    ['further database', { ...SEVERAL, DB_2: NO_DATABASE }, [true, false, true]],
    ['home', { ...SEVERAL, DB: NO_DATABASE }, [false, true, true]],
  ])('is answered while a %s is away, and says which', async (_, bindings, reachable) => {
    const { databases } = await status(bindings);
    const found = databases as { reachable: boolean; size_bytes: number | null; schema: number | null }[];
    expect(found.map((database) => database.reachable)).toEqual(reachable);
    const away = found.find((database) => !database.reachable);
    expect(away).toMatchObject({ size_bytes: null, schema: null });
  });

  it('is answered while KV is away', async () => {
    const answer = await status({ SNAPSHOTS: snapshotsDouble(() => Promise.reject(new Error('away'))) });
    expect(answer).toMatchObject({ snapshots: { oldest_at: null }, retention: { last_run_at: null } });
  });

  it.each([
    ['copy', 'moving', 'copying'],
    ['clean', 'moving', 'cleaning'],
    ['copy', 'calling_off', 'calling_off'],
  ] as const)('of a move at its step %s, while it is %s', async (step, state, said) => {
    const row = {
      municipalityId: 1,
      fromDatabase: 'DB',
      toDatabase: 'DB_2',
      state,
      progress: { ...AT_START, step },
    };
    await drizzle(env.DB)
      .insert(moves)
      .values({ ...row, progress: { ...row.progress, step: 'clear' } });
    await seed({ tenants: [TENANT], municipalities: [{ ...ROME, movedTo: 'DB' }] }, env.SECOND);
    await drizzle(env.SECOND).insert(moves).values(row);
    expect((await status(SEVERAL)).moves).toEqual([{ municipality_code: 'H501', to: 'DB_2', state: said }]);
    await drizzle(env.DB).update(moves).set({ endedAt: NOW });
    await drizzle(env.SECOND).update(moves).set({ endedAt: NOW });
    expect((await status(SEVERAL)).moves).toEqual([]);
  });

  it.each<[string, Partial<Env>]>([
    ['secret:TOKEN_KEY', { TOKEN_KEY: 'short' }],
    ['secret:DIGEST_KEY', { DIGEST_KEY: '' }],
    ['secret:ALERT_URL', { ALERT_URL: 'http://alerts.example.org', ALERT_SECRET: 'whsec_AAAA' }],
    ['secret:ALERT_SECRET', { ALERT_URL: 'https://alerts.example.org', ALERT_SECRET: 'AAAA' }],
    ['secret:ALERT_SECRET', { ALERT_URL: 'https://alerts.example.org', ALERT_SECRET: 'whsec_A' }],
    ['secret:ALERT_SECRET', { ALERT_URL: 'https://alerts.example.org', ALERT_SECRET: 'whsec_' }],
    ['secret:ALERT_SECRET', { ALERT_URL: 'https://alerts.example.org' }],
    ['variable:SESSION_RETENTION_DAYS', { SESSION_RETENTION_DAYS: '13 months' }],
  ])('names %s, and nothing else', async (name, replaced) => {
    expect((await status(replaced)).failing).toEqual([name]);
  });

  it.each([
    [2 * HOUR_MS, false],
    [2 * HOUR_MS + 1, true],
  ])('of a retention that ran %i ms ago', async (age, behind) => {
    await runCron('17 * * * *', env, () => instant(NOW - age));
    expect((await status()).retention).toMatchObject({ behind });
  });

  it('says that retention is behind where a database could not be cleaned', async () => {
    const bindings = { ...env, DB_2: NO_DATABASE };
    await expect(runCron('17 * * * *', bindings, () => instant(NOW))).rejects.toThrow();
    expect((await status()).retention).toMatchObject({ behind: true });
  });

  it('takes four round trips to a database and two to KV, whatever is stored', async () => {
    const { cost, bindings } = countedBindings();
    await status(bindings);
    expect(cost).toMatchObject({ roundTrips: 4, kvCalls: 2, objectCalls: 0 });
  });
});
