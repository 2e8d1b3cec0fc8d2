import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import {
  areas,
  callLog,
  journal,
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
import {
  b,
  someSubscriptionsOfPlate,
  WHOLE_SUBSCRIPTION_JSON,
} from '../../lookups/plate-subscriptions-table.ts';
import type { CallRow } from '../logged-call.ts';
import { LIVING_IDS } from './living-parts.ts';

/** Parameter 1: ids of municipalities, a JSON list; 2: the plate; 3: the place to go on from; 4: how many. */
const PLATE = parameter(2);
const AFTER = parameter(3);
const MOST = parameter(4);
/** 5, but for sessions, which are small: how many bytes, but for the first row's. */
const MOST_BYTES = parameter(5);

/** Rows of which each says its `bytes`, as `page`, as far as the most bytes go. They are asked for in their order. */
const asFarAsBytes = (rows: SQL): SQL => sql`(
  select * from (
    select *, coalesce(sum(bytes) over (rows between unbounded preceding and 1 preceding), 0) as bytes_before from (${rows})
  ) where bytes_before < ${MOST_BYTES}
) as page`;
/** What each row of such a page says beside its own. */
const BYTES = sql<number>`page.bytes`;

/** How large a row is. */
export interface Sized {
  readonly bytes: number;
}

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
  () => sql`select ${columns(SESSION)} from json_each(${LIVING_IDS}) as held
cross join ${aliased(parkingSessions, s)} on ${s.municipalityId} = held.value and ${s.plate} = ${PLATE} and ${s.id} > ${AFTER}
cross join ${aliased(areas, a)} on ${a.id} = ${s.areaId}
order by ${s.id} limit ${MOST}`,
);

const y = alias(subscriptionTypes, 'y');
const x = alias(subscriptionAreas, 'x');
const SUBSCRIPTION = [
  b.id,
  WHOLE_SUBSCRIPTION_JSON,
  y.code,
  b.revision,
  sql<
    string[]
  >`${jsonRows(a.code, sql`from ${aliased(subscriptionAreas, x)} cross join ${aliased(areas, a)} on ${a.id} = ${x.areaId} where ${x.subscriptionId} = ${b.id}`)}`,
] as const;
export type ExportedSubscriptionTuple = TupleOf<typeof SUBSCRIPTION>;

const SUBSCRIPTION_ROWS = sql`select ${columns({
  id: b.id,
  municipality_id: b.municipalityId,
  subscription: jsonArray(SUBSCRIPTION),
})} from ${someSubscriptionsOfPlate({ ids: LIVING_IDS, plate: PLATE, after: AFTER, most: MOST })}
join ${aliased(subscriptionTypes, y)} on ${y.id} = ${b.typeId} order by own.subscription_id`;

/** `subscription` is JSON of an {@link ExportedSubscriptionTuple}. */
export const SUBSCRIPTIONS = statement(
  () =>
    sql`select * from ${asFarAsBytes(sql`select *, octet_length(subscription) as bytes from (${SUBSCRIPTION_ROWS})`)} order by id`,
);
export interface ExportedSubscriptionRow extends Sized {
  readonly id: number;
  readonly municipality_id: number;
  readonly subscription: string;
}

const h = alias(journal, 'h');
export type ExportedChangeRow = ChangeRow & Sized & { readonly municipality_id: number };
/** A text's length stands in its row: records are read of those changes alone that are answered. */
export const CHANGES = statement(
  () => sql`${selectChanges(
    { municipality_id: sql`${j.municipalityId}`, bytes: BYTES },
    sql`${asFarAsBytes(sql`select ${h.sequence} as sequence, coalesce(octet_length(${h.record}), 0) as bytes
      from json_each(${LIVING_IDS}) as held cross join ${aliased(journal, h)}
        on ${h.municipalityId} = held.value and ${h.plate} = ${PLATE} and ${h.sequence} > ${AFTER}
      order by ${h.sequence} limit ${MOST}`)}
cross join ${aliased(journal, j)} on ${j.sequence} = page.sequence`,
  )}
order by ${j.sequence}`,
);

const k = alias(callLog, 'k');
const q = alias(callLog, 'q');
export type ExportedCallRow = CallRow & Sized;
/**
 * Parameter 1: the digests, a JSON list; 2 and 3: the instant and the id to go on from; 4 and 5 as above; 6: the tenant,
 * whose code may be another one's municipality's. Rows as the schema has them.
 */
export const CALLS = statement(
  () => sql`select ${columns(Object.fromEntries(Object.keys(getTableColumns(callLog)).map((name) => [name, k[name as keyof typeof callLog.$inferSelect]])))}, ${columns({ bytes: BYTES })}
from ${asFarAsBytes(sql`select ${q.requestId} as request_id,
      coalesce(octet_length(${q.request}), 0) + coalesce(octet_length(${q.response}), 0) as bytes
    from ${aliased(callLog, q)}
    where ${q.plateDigest} in (select value from json_each(${parameter(1)}))
      and coalesce(${q.tenant}, ${parameter(6)}) = ${parameter(6)}
      and (${q.at}, ${q.requestId}) > (${parameter(2)}, ${parameter(3)})
    order by ${q.at}, ${q.requestId} limit ${MOST}`)}
cross join ${aliased(callLog, k)} on ${k.requestId} = page.request_id
order by ${k.at}, ${k.requestId}`,
);
