import { sql } from 'drizzle-orm';
import { digestsIn } from '../../storage/call-log/call-log-table.ts';
import { db, query } from '../../storage/db/batch.ts';
import { callPlates, calls, erasedPlates, rejectedPlates } from '../../storage/db/schema/index.ts';
import { bare, literal } from '../../storage/db/sql.ts';

/** The most calls that one statement changes. */
export const MAX_CALLS = 500;

/** Values: `digests`, a JSON list of municipality and digest. */
const DIGESTS = sql`(select value ->> 0, value ->> 1 from json_each(${sql.placeholder('digests')}))`;

/** Keeps the plate erased, from `now` on. */
export const KEEPING = query(() =>
  db.all(sql`insert into ${erasedPlates} (${bare(erasedPlates.municipalityId)}, ${bare(erasedPlates.digest)}, ${bare(erasedPlates.erasedAt)})
    select value ->> 0, value ->> 1, ${sql.placeholder('now')} from json_each(${sql.placeholder('digests')}) where true
    on conflict do update set ${bare(erasedPlates.erasedAt)} = excluded.${bare(erasedPlates.erasedAt)}`),
);

/** Takes the plate back. */
export const LIFTING = query(() =>
  db.all(
    sql`delete from ${erasedPlates} where (${erasedPlates.municipalityId}, ${erasedPlates.digest}) in ${DIGESTS}`,
  ),
);

const ERASED = sql`returning 1 as erased`;
interface Erased {
  readonly erased: 1;
}

/**
 * Takes the digests of the plate, and the bodies of the calls that had them. Values: `ofCalls` and `ofMunicipalities`, JSON lists
 * of digests; `tenant`. The code of a tenant may also be the code of another tenant's municipality.
 */
export const ERASING_DIGESTS = [
  query(() =>
    db.all<Erased>(sql`update ${calls} set ${bare(calls.plateDigest)} = null, ${bare(calls.request)} = null, ${bare(calls.response)} = null
      where ${calls.id} in (
        select ${calls.id} from ${calls} where ${calls.plateDigest} in ${digestsIn('ofCalls')}
          and coalesce(${calls.tenant}, ${sql.placeholder('tenant')}) = ${sql.placeholder('tenant')} limit ${literal(MAX_CALLS)}) ${ERASED}`),
  ),
  query(() =>
    db.all<Erased>(sql`delete from ${callPlates} where (${callPlates.id}, ${callPlates.position}) in (
      select ${callPlates.id}, ${callPlates.position} from ${callPlates}
      where ${callPlates.plateDigest} in ${digestsIn('ofMunicipalities')} limit ${literal(MAX_CALLS)}) ${ERASED}`),
  ),
  query(() =>
    db.all(
      sql`delete from ${rejectedPlates} where (${rejectedPlates.municipalityId}, ${rejectedPlates.digest}) in ${DIGESTS}`,
    ),
  ),
] as const;

/** A call that is kept whole. */
export interface WholeCall {
  /** In hexadecimal. */
  readonly id: string;
  readonly request: string;
  readonly response: string | null;
}

/** Of one page. An answer to an options query may have 150 KB. */
export const CALLS_OF_PAGE = 100;

/** Whole calls of a tenant, or of none (a call may have failed before its tenant was known). Values: `tenant`, `after`. */
export const WHOLE_CALLS = query(() =>
  db.all<WholeCall>(sql`select hex(${calls.id}) as "id", ${calls.request} as "request", ${calls.response} as "response" from ${calls}
    where ${calls.tenant} is ${sql.placeholder('tenant')} and ${calls.request} is not null and ${calls.id} > unhex(${sql.placeholder('after')})
    order by ${calls.id} limit ${literal(CALLS_OF_PAGE)}`),
);

/** Takes the bodies of calls. Values: `ids`, a JSON list. */
export const EMPTYING = query(() =>
  db.all<Erased>(sql`update ${calls} set ${bare(calls.request)} = null, ${bare(calls.response)} = null
    where ${calls.id} in (select unhex(value) from json_each(${sql.placeholder('ids')})) and ${calls.request} is not null ${ERASED}`),
);
