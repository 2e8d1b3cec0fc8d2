import { and, eq, gt, isNotNull, isNull, type SQL, sql } from 'drizzle-orm';
import { OF_CITY } from '../../core/entitlement/facts-table.ts';
import { db, query } from '../../storage/db/batch.ts';
import { municipalities, rejectedPlates } from '../../storage/db/schema/index.ts';
import { atMost, namedIn } from '../../storage/db/sql.ts';

const rejected = (which: SQL | undefined) =>
  db
    .select({ digest: rejectedPlates.digest })
    .from(municipalities)
    .crossJoin(rejectedPlates)
    .where(
      and(
        OF_CITY,
        eq(rejectedPlates.municipalityId, municipalities.id),
        which,
        gt(rejectedPlates.at, sql.placeholder('rejectedAfter')),
      ),
    );

/** Those of `digests`, a JSON list. */
export const NAMED = query(() => rejected(namedIn(rejectedPlates.digest, 'digests')));
/** One that may be of any plate. */
export const UNNAMED = query(() => rejected(isNull(rejectedPlates.digest)).limit(atMost(1)));
/** One of a plate. */
export const ANY_NAMED = query(() => rejected(isNotNull(rejectedPlates.digest)).limit(atMost(1)));
