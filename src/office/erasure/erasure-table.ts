import { eq, type SQL, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import type { Instant } from '../../domain/instant.ts';
import { sum } from '../../domain/sum.ts';
import { digestBytes, hasRequestId, LOGGED_CALLS } from '../../storage/call-log/calls-parts.ts';
import { callPlates, calls, erasures, erasuresForBackups } from '../../storage/db/schema/index.ts';
import {
  bare,
  bytesOfUuid,
  columns,
  DATABASE_CLOCK,
  json,
  prepareQuery,
  primaryKeyOf,
  tableByIndex,
} from '../../storage/db/sql.ts';
import { all, type RowIn, statement, value } from '../../storage/db/statement.ts';
import { STORED_TABLES } from '../../storage/db/stored-tables.ts';
import { newPseudonym } from '../../storage/plate-digest/erased-plate.ts';
import { END_KEYS, ERASED_UNDER, KEYS } from '../../storage/stored-plates/subjects-statements.ts';
import { MAX_SUBJECTS } from '../../storage/stored-plates/subjects-table.ts';
import type { Holder } from '../administration/holders-table.ts';

const CALLS_BY_ID = tableByIndex(calls, primaryKeyOf(calls));

const isAmong = (digests: SQL): SQL =>
  sql`in (select ${digestBytes(sql.raw('value'))} from json_each(${digests}))`;

/** The code of a tenant may also be the code of another tenant's municipality. */
const OF_HOLDER = { digests: value<string>(), max: value<number>(), tenant: value<string>() };
const ERASED = sql`returning 1 as erased`;

const ERASE_DIGESTS = statement(
  OF_HOLDER,
  ({ digests, max, tenant }) => sql<{ erased: number }>`
    update ${CALLS_BY_ID} set ${bare(calls.plateDigest)} = null where ${calls.id} in (
      select ${calls.id} from ${tableByIndex(calls, 'calls_by_plate')}
      where ${calls.plateDigest} ${isAmong(digests)} and coalesce(${calls.tenant}, ${tenant}) = ${tenant}
      limit ${max}
    ) ${ERASED}`,
);

/** As {@link ERASE_DIGESTS}, for the plates of a patrol. Keeps those of calls that may be another tenant's. */
const ERASE_CALL_PLATES = statement(
  OF_HOLDER,
  ({ digests, max, tenant }) => sql<{ erased: number }>`
    delete from ${callPlates} where (${callPlates.id}, ${callPlates.position}) in (
      select ${callPlates.id}, ${callPlates.position}
      from ${tableByIndex(callPlates, 'call_plates_by_plate')}
      left join ${calls} on ${calls.id} = ${callPlates.id}
      where ${callPlates.plateDigest} ${isAmong(digests)} and coalesce(${calls.tenant}, ${tenant}) = ${tenant}
      limit ${max}
    ) ${ERASED}`,
);

/** Answers do not count these rows. */
const ERASE_REJECTED = STORED_TABLES.flatMap(({ table, digest }) =>
  digest === undefined
    ? []
    : [
        statement(
          { digests: value<string>() },
          ({ digests }) =>
            sql`delete from ${tableByIndex(table, digest.index)} where ${digest.column} in (select value from json_each(${digests}))`,
        ),
      ],
);

const { from, columns: of, since, order } = LOGGED_CALLS;

const WHOLE_CALL = { request_id: of.requestId, at: of.at, request: of.request, response: of.response };

export interface WholeCallRow {
  readonly request_id: string;
  readonly at: number;
  readonly request: string | null;
  readonly response: string | null;
}

/**
 * The next whole calls of a tenant after an instant and an id, up to a number of calls and of bytes, not counting the first
 * call. The row holds the text's length, so no text is read for it.
 */
const WHOLE_CALLS = statement(
  {
    ...{ tenant: value<string>(), at: value<number>(), id: value<string>() },
    ...{ rows: value<number>(), bytes: value<number>() },
  },
  ({ tenant, at, id, rows, bytes }) => {
    // Also calls without a tenant: a call that failed before authentication may be any tenant's.
    const nextOf = [sql`${of.tenant} = ${tenant}`, sql`${of.tenant} is null`].map(
      (isWhose) => sql`select * from (
        select ${of.requestId} as request_id, ${of.at} as at,
          coalesce(octet_length(${of.request}), 0) + coalesce(octet_length(${of.response}), 0) as bytes
        from ${from}
        where ${isWhose} and ${of.request} is not null and ${since(at)}
          and (${of.at}, ${of.requestId}) > (${at}, ${id})
        order by ${order} limit ${rows}
      )`,
    );
    return sql<WholeCallRow>`
      with page as materialized (
        select next.request_id,
          coalesce(sum(next.bytes) over (rows between unbounded preceding and 1 preceding), 0) as bytes_before
        from (${sql.join(nextOf, sql` union all `)} order by at, request_id limit ${rows}) as next
      )
      select ${columns(WHOLE_CALL)}
      from page cross join ${from} on ${hasRequestId(sql.raw('page.request_id'))}
      where page.bytes_before < ${bytes}
      order by at, request_id`;
  },
);

/**
 * Stores calls: a JSON list of each one's id, request, response, and both as they were read. Erases the digests of the plate
 * with it. Skips a call that has changed since it was read: another erasure has masked its plate there.
 */
const MASK_CALLS = statement(
  { masked: value<string>(), digests: value<string>() },
  ({ masked, digests }) => sql<{ erased: number }>`
    update ${CALLS_BY_ID} set
      ${bare(calls.request)} = call.value ->> 1, ${bare(calls.response)} = call.value ->> 2,
      ${bare(calls.plateDigest)} = iif(${calls.plateDigest} ${isAmong(digests)}, null, ${calls.plateDigest})
    from json_each(${masked}) as call
    where ${calls.id} = ${bytesOfUuid(sql.raw('(call.value ->> 0)'))}
      and ${calls.request} is call.value ->> 3 and ${calls.response} is call.value ->> 4
    ${ERASED}`,
);

/** The last call that an erasure has searched. */
export interface CallProgress {
  readonly at: number;
  readonly id: string;
}

/** Begins or continues an erasure. Only an earlier version of the service uses the pseudonym. */
export async function beginErasure(db: D1Database, erasure: string, now: Instant): Promise<CallProgress> {
  const [underWay] = await drizzle(db)
    .insert(erasures)
    .values({ digest: erasure, pseudonym: newPseudonym(), at: now, callsUpTo: -1, callsAfterId: '' })
    .onConflictDoUpdate({ target: erasures.digest, set: { at: now } })
    .returning({ at: erasures.callsUpTo, id: erasures.callsAfterId });
  if (underWay === undefined) {
    throw new Error('the erasure was not begun');
  }
  return underWay;
}

/** Records that a plate is being erased from a tenant, so that restoring an earlier backup erases it again. */
export async function keepErasure(db: D1Database, digest: string, tenant: string): Promise<void> {
  await drizzle(db)
    .insert(erasuresForBackups)
    .values({ digest, tenant, at: DATABASE_CLOCK })
    .onConflictDoUpdate({ target: erasuresForBackups.digest, set: { at: DATABASE_CLOCK } });
}

/** The keys that an erasure has replaced. */
export async function readKeys(db: D1Database, erasure: string): Promise<readonly string[]> {
  const { results } = await all(KEYS.prepare(db, { erasure }));
  return results.map(({ key }) => key);
}

/** The most digests in one statement: a parameter may have 2 MB, and a digest takes 68 bytes. */
const MAX_DIGESTS = 20_000;

/** The erasures under keys, by the keys' digests. */
export async function readErasedUnder(db: D1Database, ids: readonly number[], digests: readonly string[]) {
  const municipalities = json(ids);
  const found: RowIn<typeof ERASED_UNDER>[] = [];
  for (let from = 0; from < digests.length; from += MAX_DIGESTS) {
    const some = json(digests.slice(from, from + MAX_DIGESTS));
    found.push(...(await all(ERASED_UNDER.prepare(db, { municipalities, digests: some }))).results);
  }
  return found;
}

/** A page of whole calls, by rows and bytes of their bodies: it is searched in less than a second. */
const PAGE = { rows: 500, bytes: 256 * 1024 } as const;

/** The next whole calls of the tenant, and of unknown callers; empty at the end. */
export async function readWholeCalls(
  db: D1Database,
  tenant: string,
  after: CallProgress,
): Promise<WholeCallRow[]> {
  const { results } = await all(WHOLE_CALLS.prepare(db, { tenant, ...after, ...PAGE }));
  return results;
}

/** A call with the plate masked, and with its bodies as they were read. */
interface MaskedCall {
  readonly read: WholeCallRow;
  readonly request: string | null;
  readonly response: string | null;
}

const countOf = (written: readonly D1Result[]): number => sum(written.map(({ results }) => results.length));

/** The most characters of a parameter. D1 allows 2 MB; a character has up to 3 bytes, and JSON adds more. */
const MAX_CHARACTERS = 500_000;

/**
 * Stores masked calls that have not changed since they were read, and erases their digests of the plate.
 *
 * @returns the number of calls stored
 */
export async function maskCalls(
  db: D1Database,
  masked: readonly MaskedCall[],
  digests: readonly string[],
): Promise<number> {
  let stored = 0;
  for (const list of listsOf(masked)) {
    const mask = MASK_CALLS.prepare(db, { masked: list, digests: JSON.stringify(digests) });
    const written = await mask.all();
    stored += written.results.length;
  }
  return stored;
}

/** JSON lists of calls, each short enough for a parameter. */
function listsOf(calls: readonly MaskedCall[]): string[] {
  const lists: string[][] = [];
  let characters = Infinity;
  for (const { read, request, response } of calls) {
    const item = JSON.stringify([read.request_id, request, response, read.request, read.response]);
    characters += item.length;
    if (characters > MAX_CHARACTERS) {
      lists.push([]);
      characters = item.length;
    }
    lists.at(-1)?.push(item);
  }
  return lists.map((items) => `[${items.join(',')}]`);
}

/** Stores an erasure's progress. Masking a call again changes nothing. */
export async function storeProgress(db: D1Database, erasure: string, searched: CallProgress): Promise<void> {
  const progress = { callsUpTo: searched.at, callsAfterId: searched.id };
  await drizzle(db).update(erasures).set(progress).where(eq(erasures.digest, erasure));
}

/** @returns the number of calls, and of plates of calls, that have lost their digest, and whether these were all */
export async function eraseDigests(
  db: D1Database,
  { tenant, digests, digestsOfMunicipalities }: Holder,
): Promise<{ readonly calls: number; readonly isDone: boolean }> {
  const rejected = { digests: JSON.stringify(digestsOfMunicipalities) };
  const ofCalls = { digests: JSON.stringify(digests), max: MAX_SUBJECTS, tenant };
  const written = await db.batch([
    ...ERASE_REJECTED.map((erase) => erase.prepare(db, rejected)),
    ...[ERASE_DIGESTS, ERASE_CALL_PLATES].map((erase) => erase.prepare(db, ofCalls)),
  ]);
  return { calls: countOf(written), isDone: written.every(({ results }) => results.length < MAX_SUBJECTS) };
}

export async function endErasure(db: D1Database, erasure: string): Promise<void> {
  const end = drizzle(db).delete(erasures).where(eq(erasures.digest, erasure));
  await db.batch([prepareQuery(db, end), END_KEYS.prepare(db, { erasure })]);
}
