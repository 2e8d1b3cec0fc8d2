import { sql } from 'drizzle-orm';
import { db, query } from '../../storage/db/batch.ts';
import { NEWEST_CHANGE, recordChange } from '../../storage/db/changes.ts';
import {
  pastSubscriptionPlates as past,
  subscriptionPlates as plates,
  subscriptions as stored,
} from '../../storage/db/schema/index.ts';
import {
  ERASED,
  forgetEmptyChange,
  judging,
  KEY,
  KEYS,
  LINES,
  type LineStatements,
  MUNICIPALITY,
  PLATES,
  REVISION,
  recordIn,
} from './line-statements.ts';
import type { SubscriptionRow } from './subscription-line.ts';

const { lineOf, values, counts, differs, update } = recordIn(stored, [
  'typeId',
  'approval',
  'authorizedFrom',
  'authorizedUntil',
  'areas',
  'suspendedFrom',
  'suspendedUntil',
  'revokedAt',
  'periods',
]);

export const subscriptionLineOf = (row: SubscriptionRow, isErased: boolean): readonly unknown[] =>
  lineOf(row, isErased, row.plates);

/** The stored subscription of a line. */
const OF_LINE = sql`${stored} on ${stored.municipalityId} = ${MUNICIPALITY} and ${stored.subscriptionNumber} = ${KEY}`;
/** The spans of the line's plates. */
const SPANS = sql.raw(`json_each(line.value -> ${PLATES}) as span`);
const [PLATE, FROM, UNTIL] = [0, 1, 2].map((index) => sql.raw(`span.value ->> ${index}`));

const IS_MISSING = sql`not exists (
  select 1 from ${plates}
  where ${plates.municipalityId} = ${MUNICIPALITY} and ${plates.plate} = ${PLATE} and ${plates.subscriptionId} = ${stored.id}
    and ${plates.validFrom} is ${FROM} and ${plates.validUntil} is ${UNTIL})`;

/** A plate that comes or goes changes the title, and makes no version of it. */
const judge = judging(sql`
  select ${stored.id} is null as is_new, ${ERASED} as erased
  from ${LINES} left join ${OF_LINE}
  where ${stored.id} is null or (${counts} and (
    ${differs}
    or json_array_length(line.value -> ${sql.raw(String(PLATES))}) <> (
      select count(*) from ${plates} where ${plates.subscriptionId} = ${stored.id})
    or exists (select 1 from ${SPANS} where ${IS_MISSING})))`);

/** Copies to the past the plates that are about to leave. */
const keepLeaving = query(() =>
  db.run(sql`
    insert into ${past} (id, subscription_id, municipality_id, plate, valid_from, valid_until, recorded_at, replaced_at)
    select ${plates.id}, ${plates.subscriptionId}, ${plates.municipalityId}, ${plates.plate}, ${plates.validFrom},
      ${plates.validUntil}, ${plates.recordedAt}, ${NEWEST_CHANGE}
    from ${LINES} cross join ${OF_LINE} cross join ${plates} on ${plates.subscriptionId} = ${stored.id}
    where ${counts}
      and (${stored.id}, ${plates.plate}, coalesce(${plates.validFrom}, -1), coalesce(${plates.validUntil}, -1)) not in (
        select ${stored.id}, ${PLATE}, coalesce(${FROM}, -1), coalesce(${UNTIL}, -1)
        from ${LINES} cross join ${OF_LINE} cross join ${SPANS})`),
);

const deleteLeaving = query(() =>
  db.run(sql`
    delete from ${plates} where ${plates.id} in (
      select ${past.id} from ${past} where ${past.municipalityId} = ${MUNICIPALITY} and ${past.replacedAt} = ${NEWEST_CHANGE})`),
);

const insertComing = query(() =>
  db.run(sql`
    insert into ${plates} (subscription_id, municipality_id, plate, valid_from, valid_until, recorded_at)
    select ${stored.id}, ${MUNICIPALITY}, ${PLATE}, ${FROM}, ${UNTIL}, ${NEWEST_CHANGE}
    from ${LINES} cross join ${OF_LINE} cross join ${SPANS}
    where ${counts} and ${IS_MISSING}`),
);

const upsert = query(() =>
  db
    .insert(stored)
    .select(
      sql`select null, ${MUNICIPALITY}, ${KEY}, ${values}, ${REVISION}, ${NEWEST_CHANGE} from ${LINES} where true`,
    )
    .onConflictDoUpdate({ target: [stored.municipalityId, stored.subscriptionNumber], ...update }),
);

const find = query(() =>
  db
    .select({ key: stored.subscriptionNumber })
    .from(stored)
    .where(sql`${stored.municipalityId} = ${MUNICIPALITY} and ${stored.subscriptionNumber} in ${KEYS}`),
);

export const SUBSCRIPTION_STATEMENTS: LineStatements = {
  find,
  judge,
  store: [
    recordChange,
    keepLeaving,
    deleteLeaving,
    upsert,
    insertComing,
    forgetEmptyChange(
      [stored.municipalityId, stored.recordedAt],
      [plates.municipalityId, plates.recordedAt],
      [past.municipalityId, past.replacedAt],
    ),
  ],
};
