import { env } from 'cloudflare:workers';
import { drizzle } from 'drizzle-orm/d1';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../src/domain/instant.ts';
import { sources } from '../../src/storage/db/schema/index.ts';
import { countedBindings, databaseDouble, snapshotsDouble } from '../support/doubles.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { CITY, importEnded, seed } from '../support/seed.ts';
import { ADMIN, type Bindings, runCron, Service } from '../support/service.ts';
import { stopClock } from '../support/stopped-clock.ts';

const NOW = Date.now();
const NO_DATABASE = databaseDouble({ around: () => Promise.reject(new Error('away')) });

async function status(replaced: Bindings = {}): Promise<Record<string, unknown>> {
  const answer = await new Service(replaced).call('/api/v2/admin/status', { headers: ADMIN });
  expect(answer.status).toBe(200);
  return answer.body;
}

/** A source that the city has besides its own, with its last import. */
async function addSource(
  source: Partial<typeof sources.$inferInsert>,
  imported:
    | (Partial<Omit<ReturnType<typeof importEnded>, 'outcome'>> & { readonly outcome?: 'failed' })
    | null,
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
  await seed({ imports: [importEnded(NOW, { sourceId: row.id, ...imported })] });
}

beforeEach(async () => {
  await freshDatabase(CITY);
  stopClock(NOW);
});
afterEach(() => void vi.useRealTimers());

describe('The status', () => {
  it('of a service where all is well names nothing that is wrong', async () => {
    await runCron('* * * * *', NOW);
    await runCron('17 * * * *', NOW);
    expect(await status()).toMatchObject({
      version: expect.any(String),
      database: { size_bytes: expect.any(Number), schema: expect.any(Number) },
      late_sources: [],
      snapshots: { oldest_at: new Date(NOW).toISOString() },
      retention: { last_run_at: new Date(NOW).toISOString(), behind: false },
      failing: [],
    });
  });

  it.each<[string, Parameters<typeof addSource>[0], Parameters<typeof addSource>[1], readonly string[]]>([
    ['succeeded as long ago as it may', {}, { succeededAt: NOW - 60 * MINUTE_MS }, []],
    ['succeeded longer ago', {}, { succeededAt: NOW - 60 * MINUTE_MS - 1 }, ['stale']],
    ['failed', {}, { outcome: 'failed' }, ['error']],
    ['failed, and never succeeded', {}, { outcome: 'failed', succeededAt: null }, ['error']],
    ['never came', {}, null, []],
    ['failed for a source that is switched off', { active: false }, { outcome: 'failed' }, []],
    ['failed for the city’s own system', { isSystem: true }, { outcome: 'failed' }, []],
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
    await addSource({ code: 's0' }, { outcome: 'failed' });
    await env.DB.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 202)
       insert into sources (municipality_id, code, name, category, active, is_system, stale_after_minutes,
         report_delay_minutes, open_session_max_hours)
       select municipality_id, 's' || i, name, category, active, is_system, stale_after_minutes,
         report_delay_minutes, open_session_max_hours
       from sources, n where code = 's0'`,
    ).run();
    await env.DB.prepare(
      `insert or ignore into imports (source_id, recorded_at, municipality_id, outcome, is_kept)
       select sources.id, recorded_at, 1, outcome, is_kept from sources, imports where code glob 's[0-9]*'`,
    ).run();
    expect((await status()).late_sources).toHaveLength(200);
  });

  it('is answered while the database is away, and says so', async () => {
    expect(await status({ DB: NO_DATABASE })).toMatchObject({
      database: { size_bytes: null, schema: null },
      late_sources: [],
    });
  });

  it('is answered while KV is away', async () => {
    const answer = await status({ SNAPSHOTS: snapshotsDouble(() => Promise.reject(new Error('away'))) });
    expect(answer).toMatchObject({ snapshots: { oldest_at: null }, retention: { last_run_at: null } });
  });

  it.each<[string, Bindings]>([
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
    await runCron('17 * * * *', NOW - age);
    expect((await status()).retention).toMatchObject({ behind });
  });

  it('says that retention is behind where the database could not be cleaned', async () => {
    await expect(runCron('17 * * * *', NOW, { DB: NO_DATABASE })).rejects.toThrow();
    expect((await status()).retention).toMatchObject({ behind: true });
  });

  it('takes three round trips to the database and two to KV, whatever is stored', async () => {
    const { cost, bindings } = countedBindings();
    await status(bindings);
    expect(cost).toMatchObject({ roundTrips: 3, kvCalls: 2, objectCalls: 0 });
  });
});
