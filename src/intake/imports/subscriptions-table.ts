import { sql } from 'drizzle-orm';
import type { Instant } from '../../domain/instant.ts';
import { normalizePlate, type Plate } from '../../domain/plate.ts';
import { db, query } from '../../storage/db/batch.ts';
import { NEXT_CHANGE } from '../../storage/db/changes.ts';
import {
  pastSubscriptions as past,
  pastSubscriptionPlates as pastPlates,
  subscriptionPlates as plates,
  SUBSCRIPTION_RECORD,
  subscriptions as stored,
} from '../../storage/db/schema/index.ts';
import { subscriptionLine } from './contract.ts';
import { readLine } from './line-reader.ts';
import { KEY, LINES, MUNICIPALITY, PLATES, statementsOf, touched } from './line-statements.ts';
import type { Kind } from './run-import.ts';

/** A time for which a plate is on a subscription. Null: unbounded. */
type PlateSpan = readonly [plate: Plate, validFrom: Instant | null, validUntil: Instant | null];

/**
 * A subscription as its office reports it, and as it is stored. Its lists have no repetitions, and those of its record are sorted, so
 * that two with the same content are equal.
 */
interface SubscriptionRow
  extends Pick<typeof stored.$inferSelect, (typeof SUBSCRIPTION_RECORD)[number] | 'revision'> {
  /** Its `subscription_number`, unique in the municipality. */
  readonly key: string;
  readonly plates: readonly PlateSpan[];
}

const { lineOf, ofLine, counts, findKeys, judge, upsert, recordChanged } = statementsOf(
  stored,
  past,
  SUBSCRIPTION_RECORD,
  [
    [stored.municipalityId, MUNICIPALITY],
    [stored.subscriptionNumber, KEY],
  ],
);

/** The spans of the line's plates. */
const SPANS = sql.raw(`json_each(line.value -> ${PLATES}) as span`);
const [PLATE, FROM, UNTIL] = [0, 1, 2].map((index) => sql.raw(`span.value ->> ${index}`));

/** Copies to the past the plates that are about to leave. */
const keepLeaving = query(() =>
  db.run(sql`
    insert into ${pastPlates} (id, subscription_id, municipality_id, plate, valid_from, valid_until, recorded_at, replaced_at)
    select ${plates.id}, ${plates.subscriptionId}, ${plates.municipalityId}, ${plates.plate}, ${plates.validFrom},
      ${plates.validUntil}, ${plates.recordedAt}, ${NEXT_CHANGE}
    from ${LINES} cross join ${ofLine} cross join ${plates} on ${plates.subscriptionId} = ${stored.id}
    where ${counts}
      and (${stored.id}, ${plates.plate}, coalesce(${plates.validFrom}, -1), coalesce(${plates.validUntil}, -1)) not in (
        select ${stored.id}, ${PLATE}, coalesce(${FROM}, -1), coalesce(${UNTIL}, -1)
        from ${LINES} cross join ${ofLine} cross join ${SPANS})`),
);

const deleteLeaving = query(() =>
  db.run(sql`
    delete from ${plates} where ${plates.id} in (
      ${touched(pastPlates.id, pastPlates.replacedAt, NEXT_CHANGE)})`),
);

/** Whether a span is not stored. */
const IS_COMING = sql`not exists (
  select 1 from ${plates}
  where ${plates.municipalityId} = ${MUNICIPALITY} and ${plates.plate} = ${PLATE} and ${plates.subscriptionId} = ${stored.id}
    and ${plates.validFrom} is ${FROM} and ${plates.validUntil} is ${UNTIL})`;

const insertComing = query(() =>
  db.run(sql`
    insert into ${plates} (subscription_id, municipality_id, plate, valid_from, valid_until, recorded_at)
    select ${stored.id}, ${MUNICIPALITY}, ${PLATE}, ${FROM}, ${UNTIL}, ${NEXT_CHANGE}
    from ${LINES} cross join ${ofLine} cross join ${SPANS}
    where ${counts} and ${IS_COMING}`),
);

/** The import of subscriptions. */
export const SUBSCRIPTIONS: Kind<SubscriptionRow> = {
  read: (sent, { areas, types }, rejected) =>
    readLine(subscriptionLine, sent, rejected, (line, known) => {
      const spans = line.plates.map(
        ({ plate, valid_from, valid_until }, index): PlateSpan => [
          known(normalizePlate(plate), 'INVALID_PLATE', `plates.${index}.plate`),
          valid_from ?? null,
          valid_until ?? null,
        ],
      );
      const typeId = known(types.get(line.type), 'SUBSCRIPTION_TYPE_NOT_FOUND', 'type');
      const codes = line.areas === 'all' ? null : line.areas;
      codes?.forEach((code, index) => {
        known(areas.get(code), 'AREA_NOT_FOUND', `areas.${index}`);
      });
      return {
        key: line.subscription_number,
        typeId,
        approval: line.approval,
        authorizedFrom: line.authorized_from ?? null,
        authorizedUntil: line.authorized_until ?? null,
        areas: codes && [...new Set(codes)].sort(),
        suspendedFrom: line.suspended_from ?? null,
        suspendedUntil: line.suspended_until ?? null,
        revokedAt: line.revoked_at ?? null,
        periods: line.periods
          .map(({ starts_at, ends_at }) => [starts_at, ends_at] as const)
          .sort(([one], [other]) => one - other),
        revision: line.revision ?? null,
        plates: [...new Map(spans.map((span) => [span.join(), span])).values()],
      };
    }),
  /** A plate is left out of a title unless it came to it after the erasure. */
  erase(row, erasedAt) {
    const erased = row.plates.filter(([plate, validFrom]) => {
      const at = erasedAt(plate);
      const since = validFrom ?? row.authorizedFrom;
      return at !== undefined && (since === null || since <= at);
    });
    const plates = row.plates.filter((span) => !erased.includes(span));
    return { row: { ...row, plates }, without: erased.map(([plate]) => plate) };
  },
  lineOf,
  findKeys,
  // The plates are the same if they are as many as the stored ones, and each of them is stored: neither list has repetitions.
  judge:
    judge(sql`(select count(*) from ${plates} where ${plates.subscriptionId} = ${stored.id}) <> json_array_length(line.value -> ${sql.raw(String(PLATES))})
    or exists (select 1 from ${SPANS} where ${IS_COMING})`),
  store: [
    keepLeaving,
    deleteLeaving,
    upsert(),
    insertComing,
    recordChanged(
      (at) => sql`${touched(plates.subscriptionId, plates.recordedAt, at)}
        union ${touched(pastPlates.subscriptionId, pastPlates.replacedAt, at)}`,
    ),
  ],
};
