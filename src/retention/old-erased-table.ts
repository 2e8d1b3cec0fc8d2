import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { ERASED_KINDS, erasedPlates } from '../db/schema/erasure.ts';
import { bare, parameter, statement, tableAs } from '../db/sql.ts';
import { writeBatch } from '../db/writable.ts';
import type { Instant } from '../domain/instant.ts';
import type { Env } from '../env.ts';
import { requireDigestKeys } from '../plate-digest/digest-keys.ts';
import { keyDigest } from '../plate-digest/erased-plate.ts';
import { sessionGuardedUntil, subscriptionGuardedUntil } from '../plate-digest/guard-parts.ts';
import type { Deleted } from './retention-table.ts';

const erased = alias(erasedPlates, 'erased');

/** 1: how many. */
const READ_OLD = statement(
  () => sql`select ${erased.id} as id, ${erased.key} as key from ${tableAs(erasedPlates, erased, 'erased_plates_by_end')}
where ${erased.kind} in (${sql.raw(ERASED_KINDS.map((kind) => `'${kind}'`).join(', '))}) and ${erased.guardsUntil} is null
limit ${parameter(1)}`,
);

const guarded = {
  municipality: sql`${erasedPlates.municipalityId}`,
  source: sql`${erasedPlates.sourceCode}`,
  key: sql`${erasedPlates.key}`,
};

/** 1: a JSON list of ids, each with the digest of its key; 2: now. */
const CONVERT_OLD = statement(
  () => sql`update ${erasedPlates} set ${bare(erasedPlates.key)} = old.value ->> 1,
  ${bare(erasedPlates.guardsUntil)} = max(${parameter(2)}, coalesce(
    iif(${erasedPlates.kind} = 'parking_session', ${sessionGuardedUntil(guarded)}, ${subscriptionGuardedUntil(guarded)}),
    ${parameter(2)}))
from json_each(${parameter(1)}) as old where ${erasedPlates.id} = old.value ->> 0`,
);

/**
 * Converts rows of earlier versions, which have their key in clear and no end.
 *
 * @param deleted what the batch has done so far
 * @returns the same with the rows converted here
 */
export async function convertErased(
  env: Env,
  db: D1Database,
  now: Instant,
  max: number,
  deleted: Deleted,
): Promise<Deleted> {
  const { results: old } = await db.prepare(READ_OLD()).bind(max).all<{ id: number; key: string }>();
  if (old.length === 0) {
    return { ...deleted, statements: deleted.statements + 1 };
  }
  const [digestKey = ''] = requireDigestKeys(env);
  const converted = await Promise.all(old.map(async ({ id, key }) => [id, await keyDigest(digestKey, key)]));
  await writeBatch(db, [db.prepare(CONVERT_OLD()).bind(JSON.stringify(converted), now)]);
  return { ...deleted, isDone: false, statements: deleted.statements + 3 };
}
