import { and, asc, gte, isNull, or, sql } from 'drizzle-orm';
import { digestsIn } from '../../storage/call-log/call-log-table.ts';
import { db, query } from '../../storage/db/batch.ts';
import { callPlates, calls, municipalities } from '../../storage/db/schema/index.ts';
import { atMost, namedIn } from '../../storage/db/sql.ts';
import { OF_PLATES } from '../../storage/stored-plates/stored-plates-table.ts';
import { LOGGED } from '../administration/logged-call-table.ts';

/** Those of the municipalities `ids`, a JSON list, that hold something of the plate. */
export const HOLDING = query(() =>
  db
    .select({
      id: municipalities.id,
      code: municipalities.code,
      name: municipalities.name,
      timeZone: municipalities.timeZone,
    })
    .from(municipalities)
    .where(
      and(
        namedIn(municipalities.id, 'ids'),
        isNull(municipalities.restoring),
        or(
          ...OF_PLATES.map(
            (table) => sql`exists (
              select 1 from ${table} where ${table.municipalityId} = ${municipalities.id} and ${table.plate} = ${sql.placeholder('plate')})`,
          ),
        ),
      ),
    )
    .orderBy(asc(municipalities.id)),
);

/** Calls in a page: one may have some hundred kilobytes. */
export const MAX_CALLS = 100;

const DIGESTS = digestsIn('digests');

/** The calls with one of the digests, from an instant on. One tenant's code may be that of another tenant's municipality. */
export const CALLS = query(() =>
  db
    .select(LOGGED)
    .from(calls)
    .where(
      and(
        sql`${calls.id} in (
          select ${calls.id} from ${calls} where ${calls.plateDigest} in ${DIGESTS}
          union
          select ${callPlates.id} from ${callPlates} where ${callPlates.plateDigest} in ${DIGESTS})`,
        sql`coalesce(${calls.tenant}, ${sql.placeholder('tenant')}) = ${sql.placeholder('tenant')}`,
        gte(calls.at, sql.placeholder('from')),
      ),
    )
    .orderBy(asc(calls.at), asc(calls.id))
    .limit(atMost(MAX_CALLS + 1)),
);
