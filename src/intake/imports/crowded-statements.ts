import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { MAX_SPANS } from '../../core/entitlement/plate-subscriptions-table.ts';
import { parkingSessions, subscriptionPlates, subscriptions } from '../../storage/db/schema/index.ts';
import { literal, parameter, statement, tableAs } from '../../storage/db/sql.ts';
import { lineAt } from './line-parts.ts';

/**
 * 1: the municipality; 2: a JSON list of plates, each once, with an instant; 3: how many ends of a plate are read; 4: from how
 * many on they are answered.
 */
const [MUNICIPALITY, LIST, MAX_READ, MIN_ANSWERED] = [parameter(1), parameter(2), parameter(3), parameter(4)];
const session = alias(parkingSessions, 'session');
const span = alias(subscriptionPlates, 'span');
const subscription = alias(subscriptions, 'subscription');

/** A plate of which much is stored. */
export interface EndsRow {
  readonly plate: string;
  /** JSON: when each of what is stored of it ends, where that is later than the plate's instant. */
  readonly ends: string;
}

/** When the sessions of plates end. */
export const READ_SESSION_ENDS = statement(
  () => sql`
select * from (
  select ${lineAt(0)} as plate, (select json_group_array("end") from (
      select ${session.runsUntil} as "end" from ${tableAs(parkingSessions, session, 'parking_sessions_by_plate')}
      where ${session.municipalityId} = ${MUNICIPALITY} and ${session.plate} = ${lineAt(0)} and ${session.runsUntil} > ${lineAt(1)}
      limit ${MAX_READ}
    )) as ends
  from json_each(${LIST}) as line
) where json_array_length(ends) >= ${MIN_ANSWERED}`,
);

/** When the subscriptions of plates are over. */
export const READ_SUBSCRIPTION_ENDS = statement(
  () => sql`
select * from (
  select ${lineAt(0)} as plate, (select json_group_array("end") from (
      select ${subscription.overAt} as "end" from (
        select ${span.subscriptionId} as id from ${tableAs(subscriptionPlates, span, 'subscription_plates_by_plate')}
        where ${span.municipalityId} = ${MUNICIPALITY} and ${span.plate} = ${lineAt(0)} limit ${literal(MAX_SPANS)}
      ) as held cross join ${tableAs(subscriptions, subscription)} on ${subscription.id} = held.id
      where "end" > ${lineAt(1)} group by ${subscription.id} limit ${MAX_READ}
    )) as ends
  from json_each(${LIST}) as line
) where json_array_length(ends) >= ${MIN_ANSWERED}`,
);
