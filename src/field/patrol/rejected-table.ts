import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { DAY_MS, HOUR_MS, type Instant } from '../../domain/instant.ts';
import type { UnattributedLines } from '../../domain/patrol/rejected-lines.ts';
import { municipality } from '../../serving/lookups/municipality-table.ts';
import {
  rejectedLines,
  rejectedPlates,
  rejectedSubscriptionPlates,
  sources,
} from '../../storage/db/schema/index.ts';
import {
  type Json,
  json,
  jsonArray,
  jsonRows,
  literal,
  parsed,
  primaryKeyOf,
  tableAs,
} from '../../storage/db/sql.ts';
import { all, statement, value } from '../../storage/db/statement.ts';

const source = alias(sources, 'source');
const ofSource = alias(rejectedPlates, 'of_source');
const ofSubscriptions = alias(rejectedSubscriptionPlates, 'of_subscriptions');
const unattributed = alias(rejectedLines, 'unattributed');

/** Returns the instant from which rejections count at an answer's instant. */
export const rejectedFrom = (now: Instant): number => now - DAY_MS;

/** The lines rejected in the municipality after an instant. */
export const rejectedColumns = (from: SQL) => ({
  has_rejected: sql<number>`
    exists (
      select 1
      from ${tableAs(sources, source)}
      cross join ${tableAs(rejectedPlates, ofSource, 'rejected_plates_by_source')}
        on ${ofSource.sourceId} = ${source.id}
        and ${ofSource.at} > ${from}
      where ${source.municipalityId} = ${municipality.id}
    ) or exists (
      select 1
      from ${tableAs(rejectedSubscriptionPlates, ofSubscriptions, 'rejected_subscription_plates_by_city')}
      where ${ofSubscriptions.municipalityId} = ${municipality.id}
        and ${ofSubscriptions.at} > ${from}
    )`,
  unattributed: sql<Json<[unremembered: number, unreadable: number][]>>`${jsonRows(
    sql`json(sender.unattributed)`,
    sql`
    from (
      select ${jsonArray([sql`sum(${unattributed.unremembered})`, sql`sum(${unattributed.unreadable})`])} as unattributed
      from ${tableAs(rejectedLines, unattributed, primaryKeyOf(rejectedLines))}
      where ${unattributed.municipalityId} = ${municipality.id}
        and ${unattributed.hour} >= cast(${from} as integer) / ${literal(HOUR_MS)}
        and ${unattributed.lastAt} > ${from}
      group by ${unattributed.sourceCode}
    ) as sender`,
  )}`,
});

/** Each sender's lines whose plates are unknown. */
export const unattributedIn = (
  senders: Json<[unremembered: number, unreadable: number][]>,
): readonly UnattributedLines[] =>
  parsed(senders).map(([unremembered, unreadable]) => ({ unremembered, unreadable }));

/** The digests of plates in rejected lines. */
const REJECTED = statement(
  { digests: value<Json<readonly string[]>>(), from: value<number>() },
  ({ digests, from }) => sql<{ readonly digest: string }>`
    select ${ofSource.digest} as digest
    from json_each(${digests}) as wanted
    cross join ${tableAs(rejectedPlates, ofSource, 'rejected_plates_by_digest')}
      on ${ofSource.digest} = wanted.value
    where ${ofSource.at} > ${from}
    union all
    select ${ofSubscriptions.digest} as digest
    from json_each(${digests}) as wanted
    cross join ${tableAs(rejectedSubscriptionPlates, ofSubscriptions, 'rejected_subscription_plates_by_digest')}
      on ${ofSubscriptions.digest} = wanted.value
    where ${ofSubscriptions.at} > ${from}`,
);

/** Returns which of these digests are of plates in lines rejected within a day. */
export async function readRejected(
  db: D1Database,
  digests: readonly string[],
  now: Instant,
): Promise<ReadonlySet<string>> {
  const { results } = await all(REJECTED.prepare(db, { digests: json(digests), from: rejectedFrom(now) }));
  return new Set(results.map(({ digest }) => digest));
}
