import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { parkingSessions, subscriptionPlates, subscriptions } from '../db/schema/index.ts';
import { parameter, statement, tableAs } from '../db/sql.ts';
import { overAt } from '../plate-digest/guard-parts.ts';
import { lineAt } from './line-parts.ts';

/** 1: the municipality; 2: a JSON list of lines; 3: how many of a line's others are counted; 4: from how many on it is answered. */
const [MUNICIPALITY, LIST, MAX_COUNTED, MIN_ANSWERED] = [
  parameter(1),
  parameter(2),
  parameter(3),
  parameter(4),
];
const session = alias(parkingSessions, 'session');
const span = alias(subscriptionPlates, 'span');
const subscription = alias(subscriptions, 'subscription');

/** A row of these statements. */
export interface CountRow {
  /** The line's, from 0. */
  readonly position: number;
  readonly stored: number;
}

/** Lines: a plate, and an instant. How many of the plate's sessions end later. */
export const COUNT_PLATE_SESSIONS = statement(
  () => sql`
select * from (
  select line.key as position, (select count(*) from (
      select 1 from ${tableAs(parkingSessions, session, 'parking_sessions_by_plate')}
      where ${session.municipalityId} = ${MUNICIPALITY} and ${session.plate} = ${lineAt(0)} and ${session.runsUntil} > ${lineAt(1)}
      limit ${MAX_COUNTED}
    )) as stored
  from json_each(${LIST}) as line
) where stored >= ${MIN_ANSWERED}`,
);

/** Lines: a plate, and now. How many subscriptions that are not over name it. */
export const COUNT_PLATE_SUBSCRIPTIONS = statement(
  () => sql`
select * from (
  select line.key as position, (select count(*) from (
      select 1 from ${tableAs(subscriptionPlates, span, 'subscription_plates_by_plate')}
      cross join ${tableAs(subscriptions, subscription)} on ${subscription.id} = ${span.subscriptionId}
      where ${span.municipalityId} = ${MUNICIPALITY} and ${span.plate} = ${lineAt(0)} and ${overAt(subscription)} > ${lineAt(1)}
      group by ${span.subscriptionId} limit ${MAX_COUNTED}
    )) as stored
  from json_each(${LIST}) as line
) where stored >= ${MIN_ANSWERED}`,
);
