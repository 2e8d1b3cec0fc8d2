import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../src/domain/instant.ts';
import { countedBindings, databaseDouble, snapshotsDouble } from '../support/doubles.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { APP_SOURCE, CITY, importEnded, seed } from '../support/seed.ts';
import { ADMIN, type Bindings, runCron, Service } from '../support/service.ts';
import { stopClock } from '../support/stopped-clock.ts';

const NOW = Date.now();
const NO_DATABASE = databaseDouble({ around: () => Promise.reject(new Error('away')) });

async function status(replaced: Bindings = {}): Promise<Record<string, unknown>> {
  const answer = await new Service(replaced).call('/api/v2/admin/status', { headers: ADMIN });
  expect(answer.status).toBe(200);
  return answer.body;
}

type Imported = Partial<ReturnType<typeof importEnded>>;

/** Sources that the city has besides its own, each with such a last import, if any. */
async function addSources(count: number, changed: object, imported: Imported | null): Promise<void> {
  const added = Array.from({ length: count }, (_, index) => ({
    ...{ ...APP_SOURCE, id: 100 + index, code: `added${index}`, staleAfterMinutes: 60, ...changed },
  }));
  await seed({
    sources: added,
    imports: imported === null ? [] : added.map(({ id }) => importEnded(NOW, { sourceId: id, ...imported })),
  });
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

  it.each<[string, object, Imported | null, readonly string[]]>([
    ['succeeded as long ago as it may', {}, { succeededAt: NOW - 60 * MINUTE_MS }, []],
    ['succeeded longer ago', {}, { succeededAt: NOW - 60 * MINUTE_MS - 1 }, ['stale']],
    ['failed', {}, { outcome: 'failed' }, ['error']],
    ['failed, and never succeeded', {}, { outcome: 'failed', succeededAt: null }, ['error']],
    ['never came', {}, null, []],
    ['failed for a source that is switched off', { active: false }, { outcome: 'failed' }, []],
    ['failed for the city’s own system', { isSystem: true }, { outcome: 'failed' }, []],
  ])('of a source whose last import %s', async (_, source, imported, late) => {
    await addSources(1, source, imported);
    expect((await status()).late_sources).toMatchObject(
      late.map((said) => ({ municipality_code: 'H501', source_code: 'added0', status: said })),
    );
  });

  it('names 200 late sources at most', async () => {
    await addSources(201, {}, { outcome: 'failed' });
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

  it('takes one round trip to the database and two to KV, whatever is stored', async () => {
    const { cost, bindings } = countedBindings();
    await status(bindings);
    expect(cost).toMatchObject({ roundTrips: 1, kvCalls: 2, objectCalls: 0 });
  });
});
