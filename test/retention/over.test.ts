import { env } from 'cloudflare:workers';
import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Instant, instant } from '../../src/domain/instant.ts';
import { paidPeriods } from '../../src/domain/paid-period.ts';
import { effectiveEnd } from '../../src/domain/parking-session.ts';
import { subscriptionOverAt } from '../../src/domain/subscription.ts';
import { batch, db, query } from '../../src/storage/db/batch.ts';
import { parkingSessions, subscriptions } from '../../src/storage/db/schema/index.ts';
import { APPROVALS } from '../../src/storage/db/schema/subscriptions.ts';
import { SESSION_OVER_AT, subscriptionIsOver } from '../../src/upkeep/retention/retention-table.ts';
import { APP_SOURCE, CITY, RESIDENTS, SUBSCRIPTION, seed } from '../support/seed.ts';

const or = (...values: readonly number[]): (Instant | null)[] => [null, ...values.map(instant)];

/** Periods that were paid: none, one, and one that was reversed before it began, while it ran, and after it. */
const PAID = [
  null,
  ...or(8, 10, 13).map((reversalRecordedAt) => ({
    ...{ startsAt: instant(9), endsAt: instant(12), reversalRecordedAt },
  })),
];
const CHANGED_AT = instant(1);
const SUBSCRIPTIONS = APPROVALS.flatMap((approval) =>
  or(5, 9).flatMap((authorizedUntil) =>
    or(3, 7, 11).flatMap((importedUntil) =>
      or(2, 4, 20).flatMap((revokedAt) =>
        PAID.map((paid) => ({ approval, authorizedUntil, importedUntil, revokedAt, paid })),
      ),
    ),
  ),
);
const SESSIONS = or(5, 9).flatMap((endsAt) =>
  or(4, 7, 1e12).map((cancelledAt) => ({ startsAt: instant(1), endsAt, cancelledAt })),
);

beforeAll(async () => {
  await seed({
    ...CITY,
    subscriptionTypes: [RESIDENTS],
    subscriptions: SUBSCRIPTIONS.map(({ importedUntil: _, paid: __, ...subscription }, index) => ({
      ...{ ...SUBSCRIPTION, ...subscription, id: index + 1, subscriptionNumber: `N${index}` },
    })),
    subscriptionPeriods: SUBSCRIPTIONS.flatMap(({ importedUntil }, index) =>
      importedUntil === null
        ? []
        : [{ subscriptionId: index + 1, startsAt: instant(1), endsAt: importedUntil }],
    ),
    parkingSessions: SESSIONS.map((session, index) => ({
      ...{ ...session, sessionId: `S${index}`, municipalityId: 1, sourceCode: 'app1', areaId: 1, plate: 'A' },
    })),
  });
  await env.DB.batch(
    SUBSCRIPTIONS.flatMap(({ paid }, index) =>
      paid === null
        ? []
        : [
            env.DB.prepare(
              `insert into payments (municipality_id, payment_id, plate, plan_code, amount_cents, collected_at, sent_collected_at, recorded_at,
                 result_code, subscription_id, starts_at, ends_at, reversal_recorded_at)
               values (1, ?1, 'A', '101', 1, 1, 1, 1, 'PERIOD_CREATED', ?2, ?3, ?4, ?5)`,
            ).bind(`P${index}`, index + 1, paid.startsAt, paid.endsAt, paid.reversalRecordedAt),
          ],
    ),
  );
});

describe('SQL and the domain agree', () => {
  const OVER = query(() =>
    db.all<{ isOver: number }>(
      sql`select ${subscriptionIsOver(sql`${sql.placeholder('before')}`)} as "isOver" from ${subscriptions} order by ${subscriptions.id}`,
    ),
  );

  it.each([2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 21])(
    'whether a subscription is over before %i',
    async (before) => {
      const [rows] = await batch(env.DB, [OVER], { before });
      const expected = SUBSCRIPTIONS.map(({ paid, importedUntil, ...subscription }) => {
        const ends = [importedUntil, paid === null ? null : (paidPeriods([paid])[0]?.endsAt ?? null)];
        const known = ends.filter((end) => end !== null);
        const lastPeriodEndsAt = known.length === 0 ? null : instant(Math.max(...known));
        return subscriptionOverAt({ ...subscription, lastPeriodEndsAt, changedAt: CHANGED_AT }) < before;
      });
      expect(rows.map(({ isOver }) => isOver === 1)).toEqual(expected);
    },
  );

  it('when a session is over', async () => {
    const read = query(() =>
      db.all(sql`select ${SESSION_OVER_AT} as at from ${parkingSessions} order by ${parkingSessions.id}`),
    );
    const [rows] = await batch(env.DB, [read], {});
    const { openSessionMaxHours } = APP_SOURCE;
    expect(rows).toEqual(
      SESSIONS.map((session) => ({
        at: Math.min(effectiveEnd({ ...session, openSessionMaxHours }), session.cancelledAt ?? Infinity),
      })),
    );
  });
});
