import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import {
  subscriptionAreas,
  subscriptionPeriods,
  subscriptionPlates,
  subscriptions,
} from '../db/schema/index.ts';
import { parameter, primaryKeyOf, tableAs } from '../db/sql.ts';
import { isNotOlder, lineAt, revisionAfter } from './line-parts.ts';
import { SUBSCRIPTION_VALUES } from './subscription-line.ts';

/** Parameter 1 of every statement is the municipality's id; parameter 2 a JSON list: numbers to read, or lines. */
export const MUNICIPALITY = parameter(1);
export const LIST = parameter(2);

export const subscription = alias(subscriptions, 'subscription');
export const plate = alias(subscriptionPlates, 'plate');
export const period = alias(subscriptionPeriods, 'period');
export const area = alias(subscriptionAreas, 'area');

/** The values of a line, a JSON list, in their order; behind them its plates, periods and areas, and what the journal takes. */
export const LINE_COLUMNS = [...SUBSCRIPTION_VALUES, 'allAreas', 'changedAt', 'lastPeriodEndsAt'] as const;
export const PLATES = LINE_COLUMNS.length;
export const PERIODS = PLATES + 1;
export const AREAS = PLATES + 2;

/** A value of `line`. */
export const lineValue = (name: (typeof LINE_COLUMNS)[number]): SQL => lineAt(LINE_COLUMNS.indexOf(name));

/** Whether a subscription is that of a line. */
export const isLineOf = sql`${subscription.municipalityId} = ${MUNICIPALITY} and ${subscription.subscriptionNumber} = ${lineValue('subscriptionNumber')}`;

/** The tables, each to be looked up by what a line has: its number, then the subscription's id. */
export const SUBSCRIPTIONS = tableAs(subscriptions, subscription, 'subscriptions_number');
export const PLATES_OF = tableAs(subscriptionPlates, plate, 'subscription_plates_by_subscription');
export const PERIODS_OF = tableAs(subscriptionPeriods, period, primaryKeyOf(subscriptionPeriods));
export const AREAS_OF = tableAs(subscriptionAreas, area, primaryKeyOf(subscriptionAreas));

export const IS_NOT_OLDER = isNotOlder(lineValue('revision'), subscription.revision);
export const REVISION_AFTER = revisionAfter(lineValue('revision'), subscription.revision);
