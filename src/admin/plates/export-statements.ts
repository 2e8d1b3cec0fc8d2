import { getTableColumns, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import {
  areas,
  callLog,
  journal,
  municipalities,
  parkingSessions,
  subscriptionAreas,
  subscriptionTypes,
} from '../../db/schema/index.ts';
import {
  aliased,
  columns,
  jsonArray,
  jsonRows,
  parameter,
  type RowOf,
  statement,
  type TupleOf,
} from '../../db/sql.ts';
import { type ChangeRow, j, selectChanges } from '../../history/history-table.ts';
import { m } from '../../lookups/municipality-table.ts';
import { b, SUBSCRIPTION_JSON, subscriptionsOfPlate } from '../../lookups/plate-subscriptions-table.ts';
import { LIVING } from './living-parts.ts';

/** Parameter 1: ids of municipalities, a JSON list; 2: the plate; 3: the place to go on from; 4: how many. */
const PLATE = parameter(2);
const AFTER = parameter(3);
const MOST = parameter(4);

const s = alias(parkingSessions, 's');
const a = alias(areas, 'a');

const SESSION = {
  id: s.id,
  municipality_id: s.municipalityId,
  source_code: s.sourceCode,
  session_id: s.sessionId,
  area_code: a.code,
  starts_at: s.startsAt,
  ends_at: s.endsAt,
  cancelled_at: s.cancelledAt,
  revision: s.revision,
} as const;
export type ExportedSessionRow = RowOf<typeof SESSION>;

export const SESSIONS = statement(
  () => sql`select ${columns(SESSION)} from ${LIVING}
cross join ${aliased(parkingSessions, s)} on ${s.municipalityId} = held.value and ${s.plate} = ${PLATE} and ${s.id} > ${AFTER}
cross join ${aliased(areas, a)} on ${a.id} = ${s.areaId}
order by ${s.id} limit ${MOST}`,
);

const y = alias(subscriptionTypes, 'y');
const x = alias(subscriptionAreas, 'x');
const SUBSCRIPTION = [
  b.id,
  SUBSCRIPTION_JSON,
  y.code,
  b.revision,
  sql<
    string[]
  >`${jsonRows(a.code, sql`from ${aliased(subscriptionAreas, x)} cross join ${aliased(areas, a)} on ${a.id} = ${x.areaId} where ${x.subscriptionId} = ${b.id}`)}`,
] as const;
export type ExportedSubscriptionTuple = TupleOf<typeof SUBSCRIPTION>;

/** A row a municipality. `subscriptions` is JSON of {@link ExportedSubscriptionTuple}s. */
export const SUBSCRIPTIONS = statement(
  () =>
    sql`select ${columns({
      municipality_id: m.id,
      subscriptions: jsonRows(
        jsonArray(SUBSCRIPTION),
        sql`from ${subscriptionsOfPlate(PLATE)} join ${aliased(subscriptionTypes, y)} on ${y.id} = ${b.typeId} where ${b.id} > ${AFTER}`,
      ),
    })} from ${LIVING} cross join ${aliased(municipalities, m)} on ${m.id} = held.value`,
);
export interface ExportedSubscriptionsRow {
  readonly municipality_id: number;
  readonly subscriptions: string;
}

export type ExportedChangeRow = ChangeRow & { readonly municipality_id: number };
export const CHANGES = statement(
  () => sql`${selectChanges(
    { municipality_id: sql`${j.municipalityId}` },
    sql`${LIVING} cross join ${aliased(journal, j)}
  on ${j.municipalityId} = held.value and ${j.plate} = ${PLATE} and ${j.sequence} > ${AFTER}`,
  )}
order by ${j.sequence} limit ${MOST}`,
);

const k = alias(callLog, 'k');
/**
 * Parameter 1: the digests, a JSON list; 2 and 3: the instant and the id to go on from; 4: how many; 5: the tenant, whose
 * code may be another one's municipality's. Rows as the schema has them.
 */
export const CALLS = statement(
  () => sql`select ${columns(Object.fromEntries(Object.keys(getTableColumns(callLog)).map((name) => [name, k[name as keyof typeof callLog.$inferSelect]])))}
from ${aliased(callLog, k)}
where ${k.plateDigest} in (select value from json_each(${parameter(1)}))
  and coalesce(${k.tenant}, ${parameter(5)}) = ${parameter(5)}
  and (${k.at}, ${k.requestId}) > (${parameter(2)}, ${parameter(3)})
order by ${k.at}, ${k.requestId} limit ${MOST}`,
);
