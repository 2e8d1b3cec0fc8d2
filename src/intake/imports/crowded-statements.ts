import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { MAX_SPANS } from '../../core/entitlement/plate-subscriptions-table.ts';
import type { Json } from '../../storage/db/json.ts';
import { parkingSessions, subscriptionPlates, subscriptions } from '../../storage/db/schema/index.ts';
import { literal, tableAs } from '../../storage/db/sql.ts';
import { statement, value } from '../../storage/db/statement.ts';
import { lineAt } from './line-parts.ts';

const OF_PLATES = {
  municipalityId: value<number>(),
  /** Each once, with an instant. */
  plates: value<Json<readonly (readonly [plate: string, since: number])[]>>(),
  /** How many ends of a plate are read, and from how many on they are answered. */
  maxRead: value<number>(),
  minAnswered: value<number>(),
};

const session = alias(parkingSessions, 'session');
const span = alias(subscriptionPlates, 'span');
const subscription = alias(subscriptions, 'subscription');

/** A plate of which much is stored. */
interface EndsRow {
  readonly plate: string;
  /** When each of what is stored of it ends, where that is later than the plate's instant. */
  readonly ends: Json<number[]>;
}

/** When the sessions of plates end. */
export const READ_SESSION_ENDS = statement(
  OF_PLATES,
  ({ municipalityId, plates, maxRead, minAnswered }) => sql<EndsRow>`
  select * from (
    select ${lineAt(0)} as plate, (
      select json_group_array("end") from (
        select ${session.runsUntil} as "end"
        from ${tableAs(parkingSessions, session, 'parking_sessions_by_plate')}
        where ${session.municipalityId} = ${municipalityId}
          and ${session.plate} = ${lineAt(0)}
          and ${session.runsUntil} > ${lineAt(1)}
        limit ${maxRead}
      )
    ) as ends
    from json_each(${plates}) as line
  )
  where json_array_length(ends) >= ${minAnswered}`,
);

/** When the subscriptions of plates are over. */
export const READ_SUBSCRIPTION_ENDS = statement(
  OF_PLATES,
  ({ municipalityId, plates, maxRead, minAnswered }) => sql<EndsRow>`
  select * from (
    select ${lineAt(0)} as plate, (
      select json_group_array("end") from (
        select ${subscription.overAt} as "end"
        from (
          select ${span.subscriptionId} as id
          from ${tableAs(subscriptionPlates, span, 'subscription_plates_by_plate')}
          where ${span.municipalityId} = ${municipalityId}
            and ${span.plate} = ${lineAt(0)}
          limit ${literal(MAX_SPANS)}
        ) as held
        cross join ${tableAs(subscriptions, subscription)} on ${subscription.id} = held.id
        where "end" > ${lineAt(1)}
        group by ${subscription.id}
        limit ${maxRead}
      )
    ) as ends
    from json_each(${plates}) as line
  )
  where json_array_length(ends) >= ${minAnswered}`,
);
