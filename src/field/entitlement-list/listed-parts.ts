import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { subscriptionAreas, subscriptionPeriods, subscriptions } from '../../storage/db/schema/index.ts';
import { type Json, jsonArray, jsonRows, primaryKeyOf, type TupleOf, tableAs } from '../../storage/db/sql.ts';
import { value } from '../../storage/db/statement.ts';
import { END_COLUMNS } from '../../storage/db/subscription-fields.ts';

/** The parameters of every statement of a list: the ids of the municipality and of the facility's area. */
export const PLACE = { municipalityId: value<number>(), areaId: value<number>() };

export const subscription = alias(subscriptions, 'subscription');
const subscriptionArea = alias(subscriptionAreas, 'subscription_area');

const period = alias(subscriptionPeriods, 'period');

const PERIOD = [period.startsAt, period.endsAt] as const;
export type PeriodTuple = TupleOf<typeof PERIOD>;

/** The periods of the {@link subscription} that are not over at an instant: a list has no past periods. */
export const periodsAfter = (at: SQL) =>
  sql<Json<PeriodTuple[]>>`${jsonRows(
    jsonArray(PERIOD),
    sql`
      from ${tableAs(subscriptionPeriods, period, primaryKeyOf(subscriptionPeriods))}
      where ${period.subscriptionId} = ${subscription.id}
        and ${period.endsAt} > ${at}`,
  )}`;

const isIn = (areaId: SQL): SQL => sql`(
    ${subscription.allAreas}
    or exists (
      select 1
      from ${tableAs(subscriptionAreas, subscriptionArea, primaryKeyOf(subscriptionAreas))}
      where ${subscriptionArea.subscriptionId} = ${subscription.id}
        and ${subscriptionArea.areaId} = ${areaId}
    )
  )`;

/** Whether the {@link subscription} may be valid in an area at this instant or later. */
export const mayBeListed = (areaId: SQL, at: SQL): SQL<number> => sql`(
  ${subscription.approval} = 'approved'
  ${sql.join(
    END_COLUMNS.map((end) => sql`and (${subscription[end]} is null or ${subscription[end]} > ${at})`),
    sql`\n  `,
  )}
  and ${isIn(areaId)}
)`;
