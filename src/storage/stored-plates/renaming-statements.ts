import { sql } from 'drizzle-orm';
import { erasedPlates, erasureKeys } from '../db/schema/index.ts';
import { bare, parameter, primaryKeyOf, statement, tableByIndex } from '../db/sql.ts';
import { KEYED, type Kind, NEW_KEY, subjectsOf, value } from './subject-parts.ts';

/** A subject whose key is made from the plate ends with a new key. 1: the subjects; 2: the erasure's digest. */
export const KEEP_KEYS = statement(
  () => sql`insert into ${erasureKeys} (${bare(erasureKeys.digest)}, ${bare(erasureKeys.key)})
select ${parameter(2)}, ${value(3)} from json_each(${parameter(1)}) as subject where ${NEW_KEY} is not null on conflict do nothing`,
);

const KEYS_OF = sql`${tableByIndex(erasureKeys, primaryKeyOf(erasureKeys))} where ${erasureKeys.digest} = ${parameter(1)}`;
/** 1: the erasure's digest; likewise below. */
export const KEYS = statement(() => sql`select ${erasureKeys.key} as key from ${KEYS_OF}`);
export const END_KEYS = statement(() => sql`delete from ${KEYS_OF}`);

/** 1: ids of municipalities, 2: digests of keys, each a JSON list. What was erased under any of these keys. */
export const ERASED_UNDER = statement(
  () => sql`select ${erasedPlates.municipalityId} as municipalityId, ${erasedPlates.kind} as kind,
  ${erasedPlates.sourceCode} as sourceCode, ${erasedPlates.key} as key, ${erasedPlates.digest} as digest
from json_each(${parameter(1)}) as held
cross join ${tableByIndex(erasedPlates, 'erased_plates_digest')} on ${erasedPlates.municipalityId} = held.value
where +${erasedPlates.key} in (select value from json_each(${parameter(2)}))`,
);

/**
 * 1: the subjects. What is already stored under the digest is replaced by this one, which came later, and its past goes with it.
 * The sub-select is materialized, and its column has a sign, or the planner looks through the whole table for it.
 */
const rename = (kind: Kind) =>
  statement(() => {
    const { keyed, key } = KEYED[kind];
    return sql`with found as materialized (
  select ${keyed.id} as id, ${NEW_KEY} as name from ${subjectsOf(kind)} and ${NEW_KEY} is not null
)
update or replace ${keyed} set ${bare(key)} = found.name from found where ${keyed.id} = +found.id`;
  });
export const RENAME_SESSIONS = rename('parking_session');
export const RENAME_SUBSCRIPTIONS = rename('subscription');
