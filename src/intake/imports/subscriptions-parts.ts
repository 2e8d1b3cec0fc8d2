import { alias } from 'drizzle-orm/sqlite-core';
import {
  paymentChanges,
  subscriptionAreas,
  subscriptionPeriods,
  subscriptionPlates,
  subscriptions,
} from '../../storage/db/schema/index.ts';
import { primaryKeyOf, tableAs } from '../../storage/db/sql.ts';

export const subscription = alias(subscriptions, 'subscription');
export const plate = alias(subscriptionPlates, 'plate');
export const period = alias(subscriptionPeriods, 'period');
/** Periods that reversals took back. */
export const withdrawn = alias(paymentChanges, 'withdrawn');
export const area = alias(subscriptionAreas, 'area');

/** The tables, each to be looked up by what a line has: its number, then the subscription's id. */
export const SUBSCRIPTIONS = tableAs(subscriptions, subscription, 'subscriptions_number');
export const PLATES_OF = tableAs(subscriptionPlates, plate, 'subscription_plates_by_subscription');
export const PERIODS_OF = tableAs(subscriptionPeriods, period, primaryKeyOf(subscriptionPeriods));
export const AREAS_OF = tableAs(subscriptionAreas, area, primaryKeyOf(subscriptionAreas));
export const WITHDRAWN_OF = tableAs(paymentChanges, withdrawn, 'payment_changes_withdrawn');
