import { env } from 'cloudflare:workers';
import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Instant, instant } from '../../src/domain/instant.ts';
import { effectiveEnd } from '../../src/domain/parking-session.ts';
import { subscriptionOverAt } from '../../src/domain/subscription.ts';
import { sessionOverAt } from '../../src/storage/db/over-sql.ts';
import { parkingSessions } from '../../src/storage/db/schema/index.ts';
import { APPROVALS } from '../../src/storage/db/schema/subscriptions.ts';
import { prepareQuery } from '../../src/storage/db/sql.ts';
import { APP_SOURCE, CITY, SUBSCRIPTION, seed } from '../support/seed.ts';

const or = (...values: readonly number[]): (Instant | null)[] => [null, ...values.map(instant)];

const SUBSCRIPTIONS = APPROVALS.flatMap((approval) =>
  or(5, 9).flatMap((authorizedUntil) =>
    or(3, 7, 12).flatMap((lastPeriodEndsAt) =>
      or(2, 4, 20).map((revokedAt) => ({
        ...{ approval, authorizedUntil, lastPeriodEndsAt, revokedAt, changedAt: instant(6) },
      })),
    ),
  ),
);
const SESSIONS = or(5, 9).flatMap((endsAt) =>
  or(4, 7, 1e12).map((cancelledAt) => ({ startsAt: instant(1), endsAt, cancelledAt })),
);

beforeAll(async () => {
  await seed({
    ...CITY,
    subscriptions: SUBSCRIPTIONS.map((subscription, index) => ({
      ...{ ...SUBSCRIPTION, ...subscription, id: index + 1, subscriptionNumber: `N${index}` },
    })),
    parkingSessions: SESSIONS.map((session, index) => ({
      ...{ ...session, sessionId: `S${index}`, municipalityId: 1, sourceCode: 'app1', areaId: 1, plate: 'A' },
    })),
  });
});

describe('SQL and the domain agree', () => {
  it('when a subscription is over', async () => {
    const { results } = await env.DB.prepare('select over_at as at from subscriptions order by id').all();
    expect(results).toEqual(SUBSCRIPTIONS.map((subscription) => ({ at: subscriptionOverAt(subscription) })));
  });

  it('when a session is over', async () => {
    const query = sql`select ${sessionOverAt(parkingSessions)} as at from ${parkingSessions} order by ${parkingSessions.id}`;
    const { results } = await prepareQuery(env.DB, query).all();
    const { openSessionMaxHours } = APP_SOURCE;
    expect(results).toEqual(
      SESSIONS.map((session) => ({
        at: Math.min(effectiveEnd({ ...session, openSessionMaxHours }), session.cancelledAt ?? Infinity),
      })),
    );
  });
});
