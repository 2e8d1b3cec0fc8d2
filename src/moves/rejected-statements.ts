import { sql } from 'drizzle-orm';
import { rejectedLines, rejectedPlates, rejectedSubscriptionPlates, sources } from '../db/schema/index.ts';
import { literal, parameter, primaryKeyOf, statement, tableByIndex } from '../db/sql.ts';
import { HOUR_MS } from '../domain/instant.ts';
import { columnsOf, itemOf, layoutOf, ofMunicipality } from './copy-parts.ts';
import { write } from './copy-statements.ts';

/** 2: from when rejected lines count; 3: how many digests. */
const FROM = parameter(2);
const MAX = parameter(3);

const ofSources = columnsOf(rejectedPlates);
const ofSubscriptions = columnsOf(rejectedSubscriptionPlates);
const lines = columnsOf(rejectedLines);

/** What rejected lines have left of the last day, for patrols. */
export const COPIED_REJECTED = [
  {
    kind: 'rejected_plate',
    read: statement(
      () => sql`select ${itemOf(ofSources)} as item from ${sources}
cross join ${tableByIndex(rejectedPlates, 'rejected_plates_by_source')} on ${rejectedPlates.sourceId} = ${sources.id} and ${rejectedPlates.at} > ${FROM}
where ${ofMunicipality(sources.municipalityId)} limit ${MAX}`,
    ),
    writes: [write(rejectedPlates, ofSources)],
    ...layoutOf(ofSources),
  },
  {
    kind: 'rejected_subscription_plate',
    read: statement(
      () => sql`select ${itemOf(ofSubscriptions)} as item
from ${tableByIndex(rejectedSubscriptionPlates, 'rejected_subscription_plates_by_city')}
where ${ofMunicipality(rejectedSubscriptionPlates.municipalityId)} and ${rejectedSubscriptionPlates.at} > ${FROM} limit ${MAX}`,
    ),
    writes: [write(rejectedSubscriptionPlates, ofSubscriptions)],
    ...layoutOf(ofSubscriptions),
  },
  {
    kind: 'rejected_line',
    read: statement(
      () => sql`select ${itemOf(lines)} as item from ${tableByIndex(rejectedLines, primaryKeyOf(rejectedLines))}
where ${ofMunicipality(rejectedLines.municipalityId)} and ${rejectedLines.hour} >= cast(${FROM} as integer) / ${literal(HOUR_MS)} limit ${MAX}`,
    ),
    writes: [write(rejectedLines, lines)],
    ...layoutOf(lines),
  },
] as const;
