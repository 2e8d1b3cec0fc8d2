import { sql } from 'drizzle-orm';
import { digestBytes, hasRequestId, LOGGED_CALLS } from '../../storage/call-log/calls-parts.ts';
import { callPlates, calls, erasures } from '../../storage/db/schema/index.ts';
import {
  bare,
  bytesOfUuid,
  columns,
  parameter,
  primaryKeyOf,
  statement,
  tableByIndex,
} from '../../storage/db/sql.ts';
import { STORED_TABLES } from '../../storage/db/stored-tables.ts';
import { ifKnownSchema } from '../../storage/db/writable.ts';

const ONE = parameter(1);
const TWO = parameter(2);
const THREE = parameter(3);
const FOUR = parameter(4);
const CALLS_BY_ID = tableByIndex(calls, primaryKeyOf(calls));

/** 1: the erasure's digest; 2: a pseudonym that only an earlier version uses; 3: now. */
export const BEGIN = statement(
  () => sql`insert into ${erasures} (${bare(erasures.digest)}, ${bare(erasures.pseudonym)}, ${bare(erasures.callsUpTo)},
  ${bare(erasures.callsAfterId)}, ${bare(erasures.at)})
values (${ONE}, ${TWO}, -1, '', ${ifKnownSchema(THREE)})
on conflict do update set ${bare(erasures.at)} = excluded.${bare(erasures.at)}
returning ${bare(erasures.callsUpTo)}, ${bare(erasures.callsAfterId)}`,
);
export const END = statement(() => sql`delete from ${erasures} where ${erasures.digest} = ${ONE}`);
/** 1: the erasure's digest; 2 and 3: the instant and the id of the last searched call. */
export const STORE_PROGRESS = statement(
  () => sql`update ${erasures} set ${bare(erasures.callsUpTo)} = ${TWO}, ${bare(erasures.callsAfterId)} = ${THREE}
where ${erasures.digest} = ${ONE}`,
);

/** 1: the digests; 2: how many; 3: the tenant, whose code may also be the code of another tenant's municipality. */
export const ERASE_DIGESTS = statement(
  () => sql`update ${CALLS_BY_ID} set ${bare(calls.plateDigest)} = null where ${calls.id} in (
  select ${calls.id} from ${tableByIndex(calls, 'calls_by_plate')}
  where ${calls.plateDigest} in (select ${digestBytes(sql.raw('value'))} from json_each(${ONE}))
    and coalesce(${calls.tenant}, ${THREE}) = ${THREE}
  limit ${TWO}
) returning 1 as erased`,
);

/** As {@link ERASE_DIGESTS}, for the plates of a patrol. Keeps those of calls that may be another tenant's. */
export const ERASE_CALL_PLATES = statement(
  () => sql`delete from ${callPlates} where (${callPlates.id}, ${callPlates.position}) in (
  select ${callPlates.id}, ${callPlates.position} from ${tableByIndex(callPlates, 'call_plates_by_plate')}
  left join ${calls} on ${calls.id} = ${callPlates.id}
  where ${callPlates.plateDigest} in (select ${digestBytes(sql.raw('value'))} from json_each(${ONE}))
    and coalesce(${calls.tenant}, ${THREE}) = ${THREE}
  limit ${TWO}
) returning 1 as erased`,
);

/** 1: the digests. Answers do not count these rows. */
export const ERASE_REJECTED = STORED_TABLES.flatMap(({ table, digest }) =>
  digest === undefined
    ? []
    : [
        statement(
          () =>
            sql`delete from ${tableByIndex(table, digest.index)} where ${digest.column} in (select value from json_each(${ONE}))`,
        ),
      ],
);

const { from, columns: of, since, order } = LOGGED_CALLS;

/** The tenant's calls, and those without a tenant: a call that failed before authentication may be any tenant's. */
const WHOSE = [sql`${of.tenant} = ${ONE}`, sql`${of.tenant} is null`];

const NEXT_WHOLE = sql.join(
  WHOSE.map(
    (isWhose) => sql`select * from (
      select ${of.requestId} as request_id, ${of.at} as at,
        coalesce(octet_length(${of.request}), 0) + coalesce(octet_length(${of.response}), 0) as bytes
      from ${from}
      where ${isWhose} and ${of.request} is not null and ${since(TWO)}
        and (${of.at}, ${of.requestId}) > (${TWO}, ${THREE})
      order by ${order} limit ${FOUR}
    )`,
  ),
  sql` union all `,
);

/**
 * 1: the tenant; 2 and 3: the instant and the id to continue from; 4: how many; 5: how many bytes, not counting the first
 * call. The row holds the text's length, so no text is read for it.
 */
export const WHOLE_CALLS = statement(
  () => sql`with page as materialized (
  select next.request_id, coalesce(sum(next.bytes) over (rows between unbounded preceding and 1 preceding), 0) as bytes_before
  from (${NEXT_WHOLE} order by at, request_id limit ${FOUR}) as next
)
select ${columns({ request_id: of.requestId, at: of.at, request: of.request, response: of.response })}
from page cross join ${from} on ${hasRequestId(sql.raw('page.request_id'))} where page.bytes_before < ${parameter(5)}
order by at, request_id`,
);

/**
 * 1: a JSON list of calls: id, request, response, and both as they were read; 2: the digests, which are erased with the plate.
 * Skips a call that has changed since it was read: another erasure has masked its plate there.
 */
export const MASK_CALLS = statement(
  () => sql`update ${CALLS_BY_ID} set ${bare(calls.request)} = call.value ->> 1, ${bare(calls.response)} = call.value ->> 2,
  ${bare(calls.plateDigest)} = iif(${calls.plateDigest} in (select ${digestBytes(sql.raw('value'))} from json_each(${TWO})), null, ${calls.plateDigest})
from json_each(${ONE}) as call where ${calls.id} = ${bytesOfUuid(sql.raw('(call.value ->> 0)'))}
  and ${calls.request} is call.value ->> 3 and ${calls.response} is call.value ->> 4
returning 1 as erased`,
);
