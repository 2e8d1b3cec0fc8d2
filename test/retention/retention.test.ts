import { createScheduledController } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { retentionDays, unreadableVariables } from '../../src/base/platform/retention-days.ts';
import { CRON_JOBS } from '../../src/crons.ts';
import { DAY_MS, HOUR_MS, instant } from '../../src/domain/instant.ts';
import type { Env } from '../../src/env.ts';
import { DELETIONS } from '../../src/upkeep/retention/retention-table.ts';
import { runRetention } from '../../src/upkeep/retention/run-retention.ts';
import { WALKS } from '../../src/upkeep/retention/walked-table.ts';
import worker from '../../src/worker.ts';
import wranglerToml from '../../wrangler.toml?raw';
import { issueCredential } from '../support/credential.ts';
import { databaseDouble } from '../support/doubles.ts';
import { CITY, seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { watchedLog } from './watched-log.ts';

const NOW = instant(Date.UTC(2026, 2, 7, 12));
const ago = (days: number) => NOW - days * DAY_MS;

const session = { municipalityId: 1, sourceCode: 'app1', areaId: 1, plate: 'AB123CD' };
const decade = { startsAt: ago(402), endsAt: ago(402 - 3_650) };
const subscription = {
  ...{ municipalityId: 1, typeId: 1, approval: 'approved' as const },
  recordedAt: ago(1826),
};
const decadeLong = { authorizedUntil: ago(-3_650) };
const rejected = { ...subscription, approval: 'rejected' as const };
const pending = { approval: 'pending' as const };

const DEFAULTS = { callLog: 90, sessions: 400, subscriptions: 1_825 };
const VARIABLES = [
  'CALL_LOG_RETENTION_DAYS',
  'SESSION_RETENTION_DAYS',
  'SUBSCRIPTION_RETENTION_DAYS',
] as const;

async function column(sql: string): Promise<unknown[]> {
  const rows = await env.DB.prepare(sql).raw();
  return rows.map(([value]) => value);
}

describe('The hourly retention', () => {
  beforeAll(async () => {
    await seed({
      ...CITY,
      parkingSessions: [
        { ...session, sessionId: 'ended just past', startsAt: ago(401), endsAt: ago(400) - 1 },
        { ...session, sessionId: 'ended at the bound', startsAt: ago(401), endsAt: ago(400) },
        { ...session, sessionId: 'forgotten past', startsAt: ago(400) - 72 * HOUR_MS - 1 },
        { ...session, sessionId: 'forgotten at the bound', startsAt: ago(400) - 72 * HOUR_MS },
        { ...session, sessionId: 'cancelled past', ...decade, cancelledAt: ago(400) - 1 },
        { ...session, sessionId: 'cancelled at the bound', ...decade, cancelledAt: ago(400) },
        { ...session, sessionId: 'cancelled past, open', startsAt: ago(402), cancelledAt: ago(401) },
      ],
      subscriptions: [
        { ...subscription, id: 1, subscriptionNumber: 'ended', authorizedUntil: ago(1825) - 1 },
        { ...subscription, id: 2, subscriptionNumber: 'authorized at the bound', authorizedUntil: ago(1825) },
        {
          ...{ ...subscription, id: 3, subscriptionNumber: 'period at the bound' },
          ...{ authorizedUntil: ago(2000) },
        },
        { ...subscription, id: 4, subscriptionNumber: 'unbounded' },
        { ...subscription, id: 12, subscriptionNumber: 'unbounded, period at the bound' },
        { ...subscription, id: 5, subscriptionNumber: 'ended, never paid', authorizedUntil: ago(1825) - 1 },
        {
          ...subscription,
          id: 6,
          subscriptionNumber: 'revoked past',
          ...decadeLong,
          revokedAt: ago(1825) - 1,
        },
        {
          ...subscription,
          id: 7,
          subscriptionNumber: 'revoked at the bound',
          ...decadeLong,
          revokedAt: ago(1825),
        },
        { ...rejected, id: 8, subscriptionNumber: 'rejected past', recordedAt: ago(1825) - 1 },
        { ...rejected, id: 9, subscriptionNumber: 'rejected at the bound', recordedAt: ago(1825) },
        { ...subscription, id: 10, subscriptionNumber: 'unpaid, changed past', recordedAt: ago(1825) - 1 },
        {
          ...subscription,
          id: 11,
          subscriptionNumber: 'pending past',
          ...pending,
          recordedAt: ago(1825) - 1,
        },
        {
          ...subscription,
          id: 13,
          subscriptionNumber: 'unpaid, changed at the bound',
          recordedAt: ago(1825),
        },
      ],
      subscriptionPlates: [{ subscriptionId: 1, municipalityId: 1, plate: 'AB123CD' }],
      subscriptionPeriods: [
        { subscriptionId: 1, startsAt: ago(2000), endsAt: ago(1900) },
        { subscriptionId: 3, startsAt: ago(2000), endsAt: ago(1825) },
        { subscriptionId: 4, startsAt: ago(3000), endsAt: ago(1825) - 1 },
        { subscriptionId: 12, startsAt: ago(3000), endsAt: ago(1825) },
        { subscriptionId: 6, startsAt: ago(2000), endsAt: ago(-365) },
      ],
    });
    const calls = (count: number, at: number, name: string) =>
      env.DB.prepare(
        `insert into calls (id, at, operation, http_status, outcome, duration_ms)
         with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)
         select unhex(printf('%012x7000%016x', ?2, i)), ?2, ?3, 200, 'OK', 1 from n`,
      ).bind(count, at, name);
    await env.DB.batch([calls(2_500, ago(90) - 1, 'past'), calls(2, ago(90), 'at the bound')]);

    vi.useFakeTimers({ toFake: ['Date'], now: NOW });
    await worker.scheduled(createScheduledController({ cron: '17 * * * *' }), env);
    vi.useRealTimers();
  });

  it('deletes call-log rows that are past 90 days, more than one batch of them', async () => {
    expect(await column('select operation from calls')).toEqual(['at the bound', 'at the bound']);
  });

  it('deletes sessions that ended or were cancelled more than 400 days ago, a forgotten stop by its longest time', async () => {
    expect(await column('select session_id from parking_sessions order by 1')).toEqual([
      'cancelled at the bound',
      'ended at the bound',
      'forgotten at the bound',
    ]);
  });

  it('deletes subscriptions that ended, were revoked, or stayed rejected, more than 1,825 days ago', async () => {
    expect(await column('select subscription_number from subscriptions order by 1')).toEqual([
      'authorized at the bound',
      'period at the bound',
      'rejected at the bound',
      'revoked at the bound',
      'unbounded, period at the bound',
      'unpaid, changed at the bound',
    ]);
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
    const expected = [...DELETIONS, ...WALKS].map(({ table }) => ({
      ...{ event: 'retention', table, deleted: 0, backlog: table === 'calls' },
    }));
    expect(log.lines).toHaveLength(expected.length);
    expect(log.lines).toEqual(expect.arrayContaining(expected));
  });
});

describe('The retention variables', () => {
  it('have defaults', () => {
    const {
      CALL_LOG_RETENTION_DAYS: _c,
      SESSION_RETENTION_DAYS: _s,
      SUBSCRIPTION_RETENTION_DAYS: _b,
      ...bare
    } = env;
    expect(retentionDays(bare)).toEqual(DEFAULTS);
    expect(unreadableVariables(bare)).toEqual([]);
    expect(unreadableVariables({ ...bare, SESSION_RETENTION_DAYS: '' })).toEqual([]);
  });

  it('are independent of each other', () => {
    const long = { ...env, SESSION_RETENTION_DAYS: '2000', SUBSCRIPTION_RETENTION_DAYS: '365' };
    expect(retentionDays(long)).toEqual({ ...DEFAULTS, sessions: 2_000, subscriptions: 365 });
    expect(unreadableVariables(long)).toEqual([]);
  });

  describe.each(['0', '-1', '1.5', 'soon', '1e3', '0x10', '100000'])('that say "%s"', (text) => {
    it.each(VARIABLES)('leave %s at its default', (name) => {
      expect(retentionDays({ ...env, [name]: text })).toEqual(DEFAULTS);
    });

    it.each(VARIABLES)('stop the retention, and the log names %s', async (name) => {
      await seed({ parkingSessions: [{ ...session, sessionId: `${name} ${text}`, startsAt: 0, endsAt: 1 }] });
      const log = watchedLog();
      await expect(runRetention({ ...env, [name]: text }, NOW)).rejects.toThrow(name);
      log.restore();
      expect(log.lines).toEqual([{ event: 'retention_stopped', variables: [name] }]);
      expect(await column('select session_id from parking_sessions where ends_at = 1')).toContain(
        `${name} ${text}`,
      );
    });
  });

  it('let every check pass, whatever they say', async () => {
    const { headers } = await issueCredential({ historicalDaysAllowed: null });
    const check = async (replaced: Partial<Env>, days: number) => {
      const checked_at = new Date(Date.now() - days * DAY_MS).toISOString();
      const body = { plate: 'NOBODY', checked_at };
      return new Service(replaced).post('/api/v2/parking-entitlements/search', body, headers);
    };
    for (const name of VARIABLES) {
      expect((await check({ [name]: 'soon' }, 398)).status).toBe(200);
    }
    const shorter = { SESSION_RETENTION_DAYS: '2000', SUBSCRIPTION_RETENTION_DAYS: '365' };
    expect((await check(shorter, 363)).status).toBe(200);
    expect((await check(shorter, 366)).body.error).toMatchObject({ code: 'CHECKED_AT_OUT_OF_RANGE' });
    const longer = { SESSION_RETENTION_DAYS: '2000', SUBSCRIPTION_RETENTION_DAYS: '1900' };
    expect((await check(longer, 1_898)).status).toBe(200);
  });
});

describe('An import', () => {
  it('keeps when it changed a subscription last: one that it does not change stays as it is', async () => {
    const { headers } = await issueCredential();
    const line = { subscription_number: 'imported', type: 'RES', plates: [], areas: 'all', periods: [] };
    const send = async (approval: string, at: number) => {
      vi.useFakeTimers({ toFake: ['Date'], now: at });
      const type = { 'Content-Type': 'application/x-ndjson' };
      const body = JSON.stringify({ ...line, approval });
      const call = { method: 'POST', body, headers: { ...type, ...headers } };
      const { status } = await new Service().call('/api/v2/imports/subscriptions', call);
      vi.useRealTimers();
      expect(status).toBe(200);
      return column(`select recorded_at from subscriptions where subscription_number = 'imported'`);
    };
    expect(await send('pending', ago(3))).toEqual([ago(3)]);
    expect(await send('rejected', ago(2))).toEqual([ago(2)]);
    expect(await send('rejected', ago(1))).toEqual([ago(2)]);
  });
});

describe('The cron triggers', () => {
  it('are those of wrangler.toml, each with a job', () => {
    const [, list = ''] = /^crons = \[(.*)\]$/m.exec(wranglerToml) ?? [];
    const expressions = list.split(',').map((item) => item.trim().replaceAll('"', ''));
    expect(Object.keys(CRON_JOBS)).toEqual(expressions);
  });

  it('throw for an expression without a job', async () => {
    const controller = createScheduledController({ cron: '1 2 3 4 5' });
    await expect(worker.scheduled(controller, env)).rejects.toThrow('1 2 3 4 5');
  });
});
