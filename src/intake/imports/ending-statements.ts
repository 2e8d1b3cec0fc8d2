import { sql } from 'drizzle-orm';
import { batch, db, query } from '../../storage/db/batch.ts';
import { retry } from '../../storage/db/retry.ts';
import { imports, rejectedPlates, sources } from '../../storage/db/schema/index.ts';

const SOURCE = sql.placeholder('sourceId');
const NOW = sql.placeholder('now');
const OUTCOME = sql.placeholder('outcome');
const HAS_SUCCEEDED = sql`${OUTCOME} = 'succeeded'`;
const NEWEST = sql`(select max(${imports.recordedAt}) from ${imports} where ${imports.sourceId} = ${SOURCE})`;

const keepRejected = query(() =>
  db
    .insert(rejectedPlates)
    .select(
      sql`select null, ${sql.placeholder('municipalityId')}, value, ${NOW} from json_each(${sql.placeholder('digests')})`,
    ),
);

/**
 * Records an import's end. Imports may end in any order: the time of the last success never decreases. An import is kept if it
 * changes the source's freshness: the first of consecutive failures, and a success after a failure, a silence or no import.
 */
const record = query(() =>
  db.run(sql`
    insert into ${imports} (source_id, recorded_at, municipality_id, outcome, succeeded_at, succeeded_before, is_kept)
    select ${sources.id}, max(${NOW}, coalesce(${imports.recordedAt} + 1, 0)), ${sources.municipalityId}, ${OUTCOME},
      iif(${HAS_SUCCEEDED}, max(${sql.placeholder('begunAt')}, coalesce(${imports.succeededAt}, 0)), ${imports.succeededAt}),
      ${imports.succeededAt},
      ${imports.outcome} is not ${OUTCOME}
        or (${HAS_SUCCEEDED} and ${NOW} - ${imports.succeededAt} > ${sources.staleAfterMinutes} * 60000)
    from ${sources} left join ${imports} on ${imports.sourceId} = ${sources.id} and ${imports.recordedAt} = ${NEWEST}
    where ${sources.id} = ${SOURCE}`),
);

const forgetOthers = query(() =>
  db.run(sql`
    delete from ${imports}
    where ${imports.sourceId} = ${SOURCE} and not ${imports.isKept} and ${imports.recordedAt} < ${NEWEST}`),
);

/**
 * Stores how an import has ended. Storing it twice does no harm.
 *
 * @param digests of the plates in its rejected lines; null: any plate may have been in them
 * @param values `municipalityId`; `sourceId`, null of subscriptions; `outcome`; `begunAt`, when its call began: its lines say no
 *   later state; and `now`, our clock
 */
export async function storeEnding(
  d1: D1Database,
  digests: readonly (string | null)[],
  values: { readonly sourceId: number | null; readonly [value: string]: unknown },
): Promise<void> {
  const ofSource = values.sourceId === null ? [] : [record, forgetOthers];
  const queries = digests.length === 0 ? ofSource : [keepRejected, ...ofSource];
  if (queries.length === 0) return;
  await retry(() => batch(d1, queries, { ...values, digests: JSON.stringify(digests) }));
}
