import { type SQL, sql } from 'drizzle-orm';
import { digestBytes, hasRequestId, LOGGED_CALLS } from '../../storage/call-log/calls-parts.ts';
import { callPlates, calls, erasures } from '../../storage/db/schema/index.ts';
import { bare, bytesOfUuid, columns, primaryKeyOf, tableByIndex } from '../../storage/db/sql.ts';
import { statement, value } from '../../storage/db/statement.ts';
import { STORED_TABLES } from '../../storage/db/stored-tables.ts';
import { ifKnownSchema } from '../../storage/db/writable.ts';

const CALLS_BY_ID = tableByIndex(calls, primaryKeyOf(calls));

const OF_ERASURE = { erasure: value<string>() };

/** Begins an erasure, or continues it. Only an earlier version of the service uses the pseudonym. */
export const BEGIN = statement(
  { ...OF_ERASURE, pseudonym: value<string>(), now: value<number>() },
  ({ erasure, pseudonym, now }) => sql<{
    /** The last call that it has searched. */
    readonly calls_up_to: number;
    readonly calls_after_id: string;
  }>`
    insert into ${erasures} (${bare(erasures.digest)}, ${bare(erasures.pseudonym)}, ${bare(erasures.callsUpTo)},
      ${bare(erasures.callsAfterId)}, ${bare(erasures.at)})
    values (${erasure}, ${pseudonym}, -1, '', ${ifKnownSchema(now)})
    on conflict do update set ${bare(erasures.at)} = excluded.${bare(erasures.at)}
    returning ${bare(erasures.callsUpTo)}, ${bare(erasures.callsAfterId)}`,
);
export const END = statement(
  OF_ERASURE,
  ({ erasure }) => sql`delete from ${erasures} where ${erasures.digest} = ${erasure}`,
);
/** Stores the instant and the id of the last searched call. */
export const STORE_PROGRESS = statement(
  { ...OF_ERASURE, at: value<number>(), id: value<string>() },
  ({ erasure, at, id }) => sql`
    update ${erasures} set ${bare(erasures.callsUpTo)} = ${at}, ${bare(erasures.callsAfterId)} = ${id}
    where ${erasures.digest} = ${erasure}`,
);

const isAmong = (digests: SQL): SQL =>
  sql`in (select ${digestBytes(sql.raw('value'))} from json_each(${digests}))`;

/** The code of a tenant may also be the code of another tenant's municipality. */
const OF_HOLDER = { digests: value<string>(), max: value<number>(), tenant: value<string>() };
const ERASED = sql`returning 1 as erased`;

export const ERASE_DIGESTS = statement(
  OF_HOLDER,
  ({ digests, max, tenant }) => sql<{ erased: number }>`
    update ${CALLS_BY_ID} set ${bare(calls.plateDigest)} = null where ${calls.id} in (
      select ${calls.id} from ${tableByIndex(calls, 'calls_by_plate')}
      where ${calls.plateDigest} ${isAmong(digests)} and coalesce(${calls.tenant}, ${tenant}) = ${tenant}
      limit ${max}
    ) ${ERASED}`,
);

/** As {@link ERASE_DIGESTS}, for the plates of a patrol. Keeps those of calls that may be another tenant's. */
export const ERASE_CALL_PLATES = statement(
  OF_HOLDER,
  ({ digests, max, tenant }) => sql<{ erased: number }>`
    delete from ${callPlates} where (${callPlates.id}, ${callPlates.position}) in (
      select ${callPlates.id}, ${callPlates.position}
      from ${tableByIndex(callPlates, 'call_plates_by_plate')}
      left join ${calls} on ${calls.id} = ${callPlates.id}
      where ${callPlates.plateDigest} ${isAmong(digests)} and coalesce(${calls.tenant}, ${tenant}) = ${tenant}
      limit ${max}
    ) ${ERASED}`,
);

/** Answers do not count these rows. */
export const ERASE_REJECTED = STORED_TABLES.flatMap(({ table, digest }) =>
  digest === undefined
    ? []
    : [
        statement(
          { digests: value<string>() },
          ({ digests }) =>
            sql`delete from ${tableByIndex(table, digest.index)} where ${digest.column} in (select value from json_each(${digests}))`,
        ),
      ],
);

const { from, columns: of, since, order } = LOGGED_CALLS;

const WHOLE_CALL = { request_id: of.requestId, at: of.at, request: of.request, response: of.response };

export interface WholeCallRow {
  readonly request_id: string;
  readonly at: number;
  readonly request: string | null;
  readonly response: string | null;
}

/**
 * The next whole calls of a tenant after an instant and an id: at most so many, and of so many bytes, not counting the first
 * call. The row holds the text's length, so no text is read for it.
 */
export const WHOLE_CALLS = statement(
  {
    ...{ tenant: value<string>(), at: value<number>(), id: value<string>() },
    ...{ rows: value<number>(), bytes: value<number>() },
  },
  ({ tenant, at, id, rows, bytes }) => {
    // Also calls without a tenant: a call that failed before authentication may be any tenant's.
    const nextOf = [sql`${of.tenant} = ${tenant}`, sql`${of.tenant} is null`].map(
      (isWhose) => sql`select * from (
        select ${of.requestId} as request_id, ${of.at} as at,
          coalesce(octet_length(${of.request}), 0) + coalesce(octet_length(${of.response}), 0) as bytes
        from ${from}
        where ${isWhose} and ${of.request} is not null and ${since(at)}
          and (${of.at}, ${of.requestId}) > (${at}, ${id})
        order by ${order} limit ${rows}
      )`,
    );
    return sql<WholeCallRow>`
      with page as materialized (
        select next.request_id,
          coalesce(sum(next.bytes) over (rows between unbounded preceding and 1 preceding), 0) as bytes_before
        from (${sql.join(nextOf, sql` union all `)} order by at, request_id limit ${rows}) as next
      )
      select ${columns(WHOLE_CALL)}
      from page cross join ${from} on ${hasRequestId(sql.raw('page.request_id'))}
      where page.bytes_before < ${bytes}
      order by at, request_id`;
  },
);

/**
 * Stores calls: a JSON list of each one's id, request, response, and both as they were read. Erases the digests of the plate
 * with it. Skips a call that has changed since it was read: another erasure has masked its plate there.
 */
export const MASK_CALLS = statement(
  { masked: value<string>(), digests: value<string>() },
  ({ masked, digests }) => sql<{ erased: number }>`
    update ${CALLS_BY_ID} set
      ${bare(calls.request)} = call.value ->> 1, ${bare(calls.response)} = call.value ->> 2,
      ${bare(calls.plateDigest)} = iif(${calls.plateDigest} ${isAmong(digests)}, null, ${calls.plateDigest})
    from json_each(${masked}) as call
    where ${calls.id} = ${bytesOfUuid(sql.raw('(call.value ->> 0)'))}
      and ${calls.request} is call.value ->> 3 and ${calls.response} is call.value ->> 4
    ${ERASED}`,
);
