import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { erasedPlates, journal, municipalities } from '../db/schema/index.ts';
import { bare, list, parameter, statement, tableAs, tableByIndex } from '../db/sql.ts';
import { at, columnsOf, itemOf, layoutOf, MUNICIPALITY, ofMunicipality, ROWS } from './copy-parts.ts';

/** What a municipality's own row says of it, except who it is and where it lives. */
const OWN = columnsOf(municipalities, {
  without: [
    ...[municipalities.id, municipalities.tenantId, municipalities.code, municipalities.tenantActive],
    ...[municipalities.movedTo, municipalities.arriving, municipalities.livedIn, municipalities.stay],
    municipalities.writesStoppedUntil,
  ],
});

export const MUNICIPALITY_ROW = {
  kind: 'municipality',
  read: statement(
    () => sql`select ${itemOf(OWN)} as item from ${municipalities}
where ${municipalities.id} = ${MUNICIPALITY}`,
  ),
  writes: [
    statement(
      () => sql`update ${municipalities}
set ${list(OWN.map(({ column }, index) => sql`${bare(column)} = ${at(index)}`))}
from json_each(${ROWS}) as item where ${municipalities.id} = ${MUNICIPALITY}`,
    ),
  ],
  ...layoutOf(OWN),
} as const;

/** The newest digest of an erased plate, of any municipality. */
export const NEWEST_ERASED = statement(
  () => sql`select coalesce(max(${erasedPlates.id}), 0) as id from ${erasedPlates}`,
);

/** The newest row of the journal. */
export const NEWEST_ROW = statement(
  () => sql`select ${journal.sequence} as sequence, ${journal.stamp} as stamp from ${journal}
where ${journal.sequence} = (select max(${journal.sequence}) from ${journal})`,
);

/** 1 and 2: the number and the stamp of a row of the journal. Returns a row if that one is no longer there. */
export const IS_GONE = statement(
  () => sql`select 1 as gone where ${parameter(1)} > 0 and not exists (
  select 1 from ${journal} where ${journal.sequence} = ${parameter(1)} and ${journal.stamp} = ${parameter(2)})`,
);

/** 2: the number of a digest; 3: the municipality's stay. Returns a row if something was erased since, or it has moved. */
export const HAS_CHANGED = statement(
  () => sql`select 1 as changed from ${municipalities} where ${municipalities.id} = ${MUNICIPALITY}
  and ((${municipalities.movedTo} is not null and not ${municipalities.arriving})
    or ${municipalities.stay} <> ${parameter(3)} or exists (
    select 1 from ${erasedPlates} where ${erasedPlates.id} > ${parameter(2)}
      and +${erasedPlates.municipalityId} = ${MUNICIPALITY}))`,
);

const ERASED = columnsOf(erasedPlates, { without: [erasedPlates.id] });
const ERASED_KEY = ['kind', 'sourceCode', 'key', 'digest'] as const;
const ERASED_ORDER = list(ERASED_KEY.map((name) => erasedPlates[name]));

const last = alias(erasedPlates, 'last');
/** Likewise of the digest that was read last; of one that has gone nothing, so that reading begins again. */
const LAST_ERASED = list(
  ERASED_KEY.map(
    (name) => sql`coalesce((select ${last[name]} from ${tableAs(erasedPlates, last)}
  where ${last.id} = ${parameter(2)} and ${ofMunicipality(last.municipalityId)}), '')`,
  ),
);

/** 2: the number of the digest to go on after; 3: how many. */
export const READ_ERASED = statement(
  () => sql`select ${erasedPlates.id} as id, ${itemOf(ERASED)} as item
from ${tableByIndex(erasedPlates, 'erased_plates_digest')} where ${ofMunicipality(erasedPlates.municipalityId)}
  and (${ERASED_ORDER}) > (${LAST_ERASED})
order by ${ERASED_ORDER} limit ${parameter(3)}`,
);
