import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { livingIds } from '../databases/living-parts.ts';
import { lastRecordedAt, recordChange } from '../db/changes-sql.ts';
import {
  erasedPlates,
  moves,
  municipalities,
  parkingSessions,
  pastParkingSessions,
  pastSubscriptionPlates,
  subscriptionPlates,
  subscriptions,
} from '../db/schema/index.ts';
import { bare, jsonObject, literal, parameter, primaryKeyOf, statement, tableByIndex } from '../db/sql.ts';
import { requireNotStopped } from '../db/writable.ts';
import { sessionGuardedUntil, subscriptionGuardedUntil } from '../plate-digest/guard-parts.ts';
import { KEYED, type Kind, PSEUDONYM, subjectsOf, value } from './subject-parts.ts';

const ONE = parameter(1);
const TWO = parameter(2);

/** A table that names plates: by which index, and in which column it has the id of its session or subscription. */
interface NamesPlates {
  readonly kind: Kind;
  readonly table: SQLiteTable;
  readonly named: Readonly<Record<'municipalityId' | 'plate', SQLWrapper>>;
  readonly of: SQLWrapper;
  readonly byPlate: string;
}

const session = alias(parkingSessions, 'named');
const pastSession = alias(pastParkingSessions, 'named');
const span = alias(subscriptionPlates, 'named');
const pastSpan = alias(pastSubscriptionPlates, 'named');

/** All tables that name plates of sessions and subscriptions, of the present and of the past. */
const NAME_PLATES: readonly NamesPlates[] = [
  {
    kind: 'parking_session',
    table: parkingSessions,
    named: session,
    of: session.id,
    byPlate: 'parking_sessions_by_plate',
  },
  {
    kind: 'parking_session',
    table: pastParkingSessions,
    named: pastSession,
    of: pastSession.id,
    byPlate: 'past_parking_sessions_by_plate',
  },
  {
    kind: 'subscription',
    table: subscriptionPlates,
    named: span,
    of: span.subscriptionId,
    byPlate: 'subscription_plates_by_plate',
  },
  {
    kind: 'subscription',
    table: pastSubscriptionPlates,
    named: pastSpan,
    of: pastSpan.subscriptionId,
    byPlate: 'past_subscription_plates_by_plate',
  },
];

const SUBJECT = jsonObject({
  municipalityId: sql.raw('municipalityId'),
  kind: sql.raw('kind'),
  sourceCode: sql.raw('sourceCode'),
  key: sql.raw('key'),
});

/** The sessions or subscriptions of which a table names the plate. */
const subjectsIn = ({ kind, table, named, of, byPlate }: NamesPlates): SQL => {
  const { keyed, source, key } = KEYED[kind];
  return sql`
select ${named.municipalityId} as municipalityId, ${sql.raw(`'${kind}'`)} as kind, ${source} as sourceCode, ${key} as key
  from json_each(${ONE}) as held
  cross join ${table} as named indexed by ${sql.identifier(byPlate)} on ${named.municipalityId} = held.value and ${named.plate} = ${TWO}
  cross join ${keyed} on ${keyed.id} = ${of}`;
};

/**
 * 1: ids of municipalities, a JSON list; 2: the plate; 3: how many. What names the plate, each once, and the municipalities that
 * live here, each as a JSON list: an invocation may send D1 a thousand statements, and this is asked of every database.
 */
export const SUBJECTS = statement(
  () => sql`select ${livingIds(parameter(1))} as living, json_group_array(${SUBJECT}) as subjects from (
${sql.join(NAME_PLATES.map(subjectsIn), sql` union `)}
limit ${parameter(3)})`,
);

const municipalityIds = sql`select ${value(0)} from json_each(${ONE}) as subject`;

export const REQUIRE_NOT_STOPPED = statement(() => requireNotStopped(municipalityIds));

/** A copy that is being made of them begins again: nothing says which of its rows have been erased. */
export const MAKE_COPIES_STALE = statement(
  () =>
    sql`update ${moves} set ${bare(moves.erasures)} = ${moves.erasures} + 1 where ${moves.municipalityId} in (${municipalityIds})`,
);

/** Lists are made where a municipality lives. */
const LIVING_OF_THEM = sql`${municipalities.id} in (${municipalityIds}) and ${municipalities.movedTo} is null and not ${municipalities.arriving}`;

/** 2: now. A change that nothing is stored with: no call's, since no version is recorded at it. */
export const RECORD_ERASURE = statement(() =>
  recordChange(
    sql`${municipalities.id}`,
    { now: TWO, requestId: sql.raw('hex(randomblob(16))'), batch: literal(0) },
    { from: sql`from ${municipalities} where ${LIVING_OF_THEM}` },
  ),
);

/** What was known before that change is no longer so: a list that a gate has from before it begins anew. */
export const FORGET_PAST = statement(
  () => sql`update ${municipalities} set ${bare(municipalities.pastSince)} = ${lastRecordedAt(sql`${municipalities.id}`)}
where ${LIVING_OF_THEM}`,
);

const GUARDED = { municipality: value(0), source: value(2), key: value(3) };

/** 2: now, when the erasure is recorded: what it guards is kept from then on, though it has ended long ago. */
export const KEEP_ERASED = statement(
  () => sql`insert into ${erasedPlates} (${bare(erasedPlates.municipalityId)}, ${bare(erasedPlates.kind)},
  ${bare(erasedPlates.sourceCode)}, ${bare(erasedPlates.key)}, ${bare(erasedPlates.digest)}, ${bare(erasedPlates.pseudonym)},
  ${bare(erasedPlates.guardsUntil)})
select ${value(0)}, ${value(1)}, ${value(2)}, ${value(5)}, ${value(4)}, ${PSEUDONYM},
  max(${TWO}, coalesce(
    iif(${value(1)} = 'parking_session', ${sessionGuardedUntil(GUARDED)}, ${subscriptionGuardedUntil(GUARDED)}), ${TWO}))
from json_each(${ONE}) as subject where true
on conflict do update set ${bare(erasedPlates.pseudonym)} = excluded.${bare(erasedPlates.pseudonym)},
  ${bare(erasedPlates.guardsUntil)} = excluded.${bare(erasedPlates.guardsUntil)}`,
);

/** Materialized, and its column with a sign, or the planner looks through the whole table for it. */
const FOUND = sql`with found as materialized (
  select ${parkingSessions.id} as id, ${PSEUDONYM} as pseudonym from ${subjectsOf('parking_session')}
)`;

/** 2: the plate; likewise below. The version of the present. */
export const ERASE_SESSIONS = statement(
  () => sql`${FOUND}
update ${parkingSessions} set ${bare(parkingSessions.plate)} = found.pseudonym
from found where ${parkingSessions.id} = +found.id and +${parkingSessions.plate} = ${TWO} returning 1 as erased`,
);

/** The versions of the past, whichever plate the session has today: by the plate, each session would read the plate's whole past. */
export const ERASE_PAST_SESSIONS = statement(
  () => sql`${FOUND}
update ${tableByIndex(pastParkingSessions, primaryKeyOf(pastParkingSessions))} set ${bare(pastParkingSessions.plate)} = found.pseudonym
from found where ${pastParkingSessions.id} = +found.id and +${pastParkingSessions.plate} = ${TWO} returning 1 as erased`,
);

const IDS = sql`select ${subscriptions.id} from ${subjectsOf('subscription')}`;

/** By the plate: a fleet's subscription has hundreds of others. */
const eraseSpans = (
  table: typeof subscriptionPlates | typeof pastSubscriptionPlates,
  byPlate: string,
): (() => string) =>
  statement(
    () => sql`delete from ${tableByIndex(table, byPlate)} where ${table.municipalityId} in (${municipalityIds})
  and ${table.plate} = ${TWO} and ${table.subscriptionId} in (${IDS})
returning ${bare(table.subscriptionId)} as erased`,
  );
export const ERASE_PLATES = eraseSpans(subscriptionPlates, 'subscription_plates_by_plate');
export const ERASE_PAST_PLATES = eraseSpans(pastSubscriptionPlates, 'past_subscription_plates_by_plate');
