import { createScheduledController } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { retentionDays, unreadableVariables } from '../../src/base/platform/retention-days.ts';
import { CRON_JOBS } from '../../src/crons.ts';
import { DAY_MS, HOUR_MS, instant } from '../../src/domain/instant.ts';
import type { Env } from '../../src/env.ts';
import { DELETIONS } from '../../src/upkeep/retention/retention-table.ts';
import { runRetention } from '../../src/upkeep/retention/run-retention.ts';
import worker from '../../src/worker.ts';
import wranglerToml from '../../wrangler.toml?raw';
import { issueCredential } from '../support/credential.ts';
import { databaseDouble } from '../support/doubles.ts';
import { CITY, seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { calls } from './many-rows.ts';
import { watchedLog } from './watched-log.ts';

const NOW = instant(Date.UTC(2026, 2, 7, 12));
const ago = (days: number) => NOW - days * DAY_MS;

const SESSION = { municipalityId: 1, sourceCode: 'app1', areaId: 1, plate: 'AB123CD' };
const SESSIONS = {
  'ended just past': { startsAt: ago(401), endsAt: ago(400) - 1 },
  'ended at the bound': { startsAt: ago(401), endsAt: ago(400) },
  'forgotten past': { startsAt: ago(400) - 72 * HOUR_MS - 1 },
  'cancelled past': { startsAt: ago(402), endsAt: ago(-3_650), cancelledAt: ago(400) - 1 },
};

const SUBSCRIPTION = { municipalityId: 1, typeId: 1, approval: 'approved' as const, recordedAt: ago(1_826) };
/** When one is over is the domain's rule, with which `over.test.ts` compares the statement. */
const SUBSCRIPTIONS = {
  'authorized just past': { authorizedUntil: ago(1_825) - 1 },
  'authorized at the bound': { authorizedUntil: ago(1_825) },
  'changed just past': { authorizedUntil: ago(1_900), recordedAt: ago(1_825) - 1 },
  'changed at the bound': { authorizedUntil: ago(1_900), recordedAt: ago(1_825) },
};

const DEFAULTS = { callLog: 90, sessions: 400, subscriptions: 1_825 };
const VARIABLES = [
  'CALL_LOG_RETENTION_DAYS',
  'SESSION_RETENTION_DAYS',
  'SUBSCRIPTION_RETENTION_DAYS',
] as const;

const column = async (sql: string): Promise<unknown[]> =>
  (await env.DB.prepare(sql).raw()).map(([value]) => value);

describe('The hourly retention', () => {
  beforeAll(async () => {
    await seed({
      ...CITY,
      parkingSessions: Object.entries(SESSIONS).map(([sessionId, changed]) => ({
        ...{ ...SESSION, sessionId, ...changed },
      })),
      subscriptions: Object.entries(SUBSCRIPTIONS).map(([subscriptionNumber, changed], index) => ({
        ...{ ...SUBSCRIPTION, id: index + 1, subscriptionNumber, ...changed },
      })),
      subscriptionPlates: [{ subscriptionId: 1, municipalityId: 1, plate: 'AB123CD' }],
      subscriptionPeriods: [{ subscriptionId: 1, startsAt: ago(3_000), endsAt: ago(1_900) }],
    });
    await env.DB.batch([calls(2_500, ago(90) - 1, 'past'), calls(2, ago(90), 'at the bound')]);
    vi.useFakeTimers({ toFake: ['Date'], now: NOW });
    await worker.scheduled(createScheduledController({ cron: '17 * * * *' }), env);
    vi.useRealTimers();
  });

  it('deletes call-log rows that are past 90 days, more than one batch of them', async () => {
    expect(await column('select target from calls order by 1')).toEqual(['at the bound1', 'at the bound2']);
  });

  it.each([
    ['parking_sessions', 'session_id', SESSIONS],
    ['subscriptions', 'subscription_number', SUBSCRIPTIONS],
  ])('deletes of %s what was over and last recorded before the bound', async (table, key, all) => {
    const left = Object.keys(all).filter((name) => name.endsWith('at the bound'));
    expect(await column(`select ${key} from ${table} order by 1`)).toEqual(left.sort());
  });

  it('leaves nothing behind of a subscription that it deletes', async () => {
    expect(await column('select subscription_id from subscription_plates')).toEqual([]);
  });

  it('reports a kind that fails, after the others have been deleted', async () => {
    const log = watchedLog();
    const DB = databaseDouble({
      around: (run, sql) => (sql.includes('"calls"') ? Promise.reject(new Error('D1 is away')) : run()),
    });
    await expect(runRetention({ ...env, DB }, NOW)).rejects.toThrow(AggregateError);
    log.restore();
    expect(log.lines).toEqual(
      DELETIONS.map(({ table }) => ({
        ...{ event: 'retention', table, deleted: 0, backlog: table === 'calls' },
      })),
    );
  });
});

describe('The retention variables', () => {
  it('have defaults, and are independent of each other', () => {
    const bare = { ...env, ...Object.fromEntries(VARIABLES.map((name) => [name, undefined])) };
    for (const unset of [bare, { ...bare, SESSION_RETENTION_DAYS: '' }]) {
      expect([retentionDays(unset), unreadableVariables(unset)]).toEqual([DEFAULTS, []]);
    }
    const long = { ...env, SESSION_RETENTION_DAYS: '2000', SUBSCRIPTION_RETENTION_DAYS: '365' };
    expect(retentionDays(long)).toEqual({ ...DEFAULTS, sessions: 2_000, subscriptions: 365 });
    expect(unreadableVariables(long)).toEqual([]);
  });

  it.each(['0', '-1', '1.5', 'soon', '1e3', '0x10', '100000'])(
    'that say "%s" stop the retention, which names them; a check has the default meanwhile',
    async (text) => {
      const sessionId = `past ${text}`;
      await seed({ parkingSessions: [{ ...SESSION, sessionId, startsAt: 0, endsAt: 1 }] });
      for (const name of VARIABLES) {
        expect(retentionDays({ ...env, [name]: text })).toEqual(DEFAULTS);
        const log = watchedLog();
        await expect(runRetention({ ...env, [name]: text }, NOW)).rejects.toThrow(name);
        log.restore();
        expect(log.lines).toEqual([{ event: 'retention_stopped', variables: [name] }]);
      }
      expect(await column('select session_id from parking_sessions where ends_at = 1')).toContain(sessionId);
    },
  );

  it('let every check pass, whatever they say', async () => {
    const { headers } = await issueCredential({ historicalDaysAllowed: null });
    const check = async (replaced: Partial<Env>, days: number) => {
      const checked_at = new Date(Date.now() - days * DAY_MS).toISOString();
      const body = { plate: 'NOBODY', checked_at };
      return new Service(replaced).post('/api/v2/parking-entitlements/search', body, headers);
    };
    for (const name of VARIABLES) expect((await check({ [name]: 'soon' }, 398)).status).toBe(200);
    const shorter = { SESSION_RETENTION_DAYS: '2000', SUBSCRIPTION_RETENTION_DAYS: '365' };
    expect((await check(shorter, 363)).status).toBe(200);
    expect((await check(shorter, 366)).body.error).toMatchObject({ code: 'CHECKED_AT_OUT_OF_RANGE' });
  });
});

describe('The cron triggers', () => {
  it('are those of wrangler.toml, each with a job', async () => {
    const [, list = ''] = /^crons = \[(.*)\]$/m.exec(wranglerToml) ?? [];
    const expressions = list.split(',').map((item) => item.trim().replaceAll('"', ''));
    expect(Object.keys(CRON_JOBS)).toEqual(expressions);
    const controller = createScheduledController({ cron: '1 2 3 4 5' });
    await expect(worker.scheduled(controller, env)).rejects.toThrow('1 2 3 4 5');
  });
});
