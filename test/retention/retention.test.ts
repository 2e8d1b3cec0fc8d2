import { createScheduledController } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { CRON_JOBS } from '../../src/crons.ts';
import { DAY_MS, HOUR_MS, instant } from '../../src/domain/instant.ts';
import { retentionDays } from '../../src/retention/retention-days.ts';
import { runRetention } from '../../src/retention/run-retention.ts';
import worker from '../../src/worker.ts';
import wranglerToml from '../../wrangler.toml?raw';
import { CITY, seed } from '../support/seed.ts';

const NOW = instant(Date.UTC(2026, 2, 7, 12));
const ago = (days: number) => NOW - days * DAY_MS;

const session = { municipalityId: 1, sourceCode: 'app1', areaId: 1, plate: 'AB123CD' };
const subscription = { municipalityId: 1, typeId: 1, approval: 'approved' as const, allAreas: true };

async function column(sql: string): Promise<unknown[]> {
  const rows = await env.DB.prepare(sql).raw();
  return rows.map(([value]) => value);
}

describe('The daily retention', () => {
  beforeAll(async () => {
    await seed({
      ...CITY,
      parkingSessions: [
        { ...session, sessionId: 'ended just past', startsAt: ago(401), endsAt: ago(400) - 1 },
        { ...session, sessionId: 'ended at the bound', startsAt: ago(401), endsAt: ago(400) },
        { ...session, sessionId: 'forgotten past', startsAt: ago(400) - 72 * HOUR_MS - 1 },
        { ...session, sessionId: 'forgotten at the bound', startsAt: ago(400) - 72 * HOUR_MS },
      ],
      subscriptions: [
        { ...subscription, id: 1, subscriptionNumber: 'ended', authorizedUntil: ago(1825) - 1 },
        { ...subscription, id: 2, subscriptionNumber: 'authorized at the bound', authorizedUntil: ago(1825) },
        { ...subscription, id: 3, subscriptionNumber: 'period at the bound', authorizedUntil: ago(2000) },
        { ...subscription, id: 4, subscriptionNumber: 'unbounded' },
        { ...subscription, id: 5, subscriptionNumber: 'ended, never paid', authorizedUntil: ago(1825) - 1 },
      ],
      subscriptionPlates: [{ subscriptionId: 1, municipalityId: 1, plate: 'AB123CD' }],
      subscriptionAreas: [{ subscriptionId: 1, areaId: 1 }],
      subscriptionPeriods: [
        { subscriptionId: 1, startsAt: ago(2000), endsAt: ago(1900) },
        { subscriptionId: 3, startsAt: ago(2000), endsAt: ago(1825) },
        { subscriptionId: 4, startsAt: ago(3000), endsAt: ago(2900) },
      ],
    });
    const calls = (count: number, at: number, name: string) =>
      env.DB.prepare(
        `insert into call_log (request_id, at, operation, http_status, outcome, duration_ms)
         with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)
         select ?3 || i, ?2, 'plate_check', 200, 'OK', 1 from n`,
      ).bind(count, at, name);
    await env.DB.batch([calls(2_500, ago(90) - 1, 'past '), calls(2, ago(90), 'at the bound ')]);

    vi.useFakeTimers({ toFake: ['Date'], now: NOW });
    await worker.scheduled(createScheduledController({ cron: '17 2 * * *' }), env);
    vi.useRealTimers();
  });

  it('deletes call-log rows that are past 90 days, more than one batch of them', async () => {
    expect(await column('select request_id from call_log order by 1')).toEqual([
      'at the bound 1',
      'at the bound 2',
    ]);
  });

  it('deletes sessions that ended more than 400 days ago, a forgotten stop by its longest time', async () => {
    expect(await column('select session_id from parking_sessions order by 1')).toEqual([
      'ended at the bound',
      'forgotten at the bound',
    ]);
  });

  it('deletes subscriptions whose authorization and last period ended more than 1,825 days ago', async () => {
    expect(await column('select subscription_number from subscriptions order by 1')).toEqual([
      'authorized at the bound',
      'period at the bound',
      'unbounded',
    ]);
  });

  it('leaves nothing behind of a subscription that it deletes', async () => {
    expect(await column('select subscription_id from subscription_periods order by 1')).toEqual([3, 4]);
    expect(await column('select subscription_id from subscription_plates')).toEqual([]);
    expect(await column('select subscription_id from subscription_areas')).toEqual([]);
  });

  it('reports a kind that fails, after the others have been deleted', async () => {
    const deleted: string[] = [];
    const db: Pick<D1Database, 'prepare'> = {
      prepare: (sql) => {
        deleted.push(sql);
        if (sql.includes('call_log')) {
          throw new Error('D1 is away');
        }
        return env.DB.prepare(sql);
      },
    };
    await expect(runRetention({ ...env, DB: db as D1Database }, NOW)).rejects.toThrow(AggregateError);
    expect(deleted).toHaveLength(4);
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
    expect(retentionDays(bare)).toEqual({ callLog: 90, sessions: 400, subscriptions: 1_825 });
  });

  it('refuse to keep subscriptions for a shorter time than a check may look back', () => {
    expect(() => retentionDays({ ...env, SUBSCRIPTION_RETENTION_DAYS: '399' })).toThrow(
      'SUBSCRIPTION_RETENTION_DAYS is less than SESSION_RETENTION_DAYS',
    );
    expect(retentionDays({ ...env, SUBSCRIPTION_RETENTION_DAYS: '400' }).subscriptions).toBe(400);
  });

  it.each(['0', '-1', '1.5', 'soon'])('refuse %s', (text) => {
    expect(() => retentionDays({ ...env, SESSION_RETENTION_DAYS: text })).toThrow('SESSION_RETENTION_DAYS');
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
