import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { subscriptionAreas, subscriptions } from '../../storage/db/schema/index.ts';
import { parameter, primaryKeyOf, tableAs } from '../../storage/db/sql.ts';

/** Of every statement of a list: the municipality, and the facility's area. */
export const MUNICIPALITY = parameter(1);
export const AREA = parameter(2);

export const subscription = alias(subscriptions, 'subscription');
const subscriptionArea = alias(subscriptionAreas, 'subscription_area');

const IN_FACILITY = sql`(${subscription.allAreas} or exists (
    select 1 from ${tableAs(subscriptionAreas, subscriptionArea, primaryKeyOf(subscriptionAreas))} where ${subscriptionArea.subscriptionId} = ${subscription.id} and ${subscriptionArea.areaId} = ${AREA}
  ))`;

/** Whether the {@link subscription} may be valid in the facility at some instant from this one on. */
export const mayBeListed = (at: SQL): SQL => sql`(${subscription.approval} = 'approved'
  and (${subscription.revokedAt} is null or ${subscription.revokedAt} > ${at})
  and (${subscription.authorizedUntil} is null or ${subscription.authorizedUntil} > ${at})
  and ${IN_FACILITY})`;
