import { type SQL, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Instant } from '../../domain/instant.ts';
import { overBefore } from '../../storage/db/over-sql.ts';
import {
  anonymizations,
  moves,
  municipalities,
  parkingSessions,
  pastParkingSessions,
  sources,
} from '../../storage/db/schema/index.ts';
import { OPEN_END } from '../../storage/db/schema/sessions.ts';
import { bare, lineAt, list, literal, primaryKeyOf, tableAs, tableByIndex } from '../../storage/db/sql.ts';
import { all, select, statement, value } from '../../storage/db/statement.ts';
import { replacePlates, subjectKeyOf } from '../../storage/db/stored-table.ts';
import { STORED_TABLES } from '../../storage/db/stored-tables.ts';
import { isNotMoving, writeBatch } from '../../storage/db/writable.ts';
import { newPseudonym } from '../../storage/plate-digest/erased-plate.ts';
import type { Deleted } from './deletion-parts.ts';

const session = alias(parkingSessions, 'session');
const version = alias(pastParkingSessions, 'version');
const anonymization = alias(anonymizations, 'anonymization');
const municipality = alias(municipalities, 'municipality');
const source = alias(sources, 'source');

const LONG_AGO = literal(-Number.MAX_SAFE_INTEGER);
const endedUpTo = sql`coalesce(${anonymization.endedUpTo}, ${LONG_AGO})`;
const openUpTo = sql`coalesce(${anonymization.openUpTo}, ${LONG_AGO})`;

/** A pseudonym sorts before every plate. The plus keeps the planner from using an index of plates. */
const isPlate = (column: SQLiteColumn): SQL => sql`+${column} >= '0'`;

const VERSIONS = sql`from ${tableAs(pastParkingSessions, version, primaryKeyOf(pastParkingSessions))} where ${version.id} = ${session.id}`;

/** Includes erased sessions: a past version may still have another plate. */
const HAS_PLATE = sql`(${isPlate(session.plate)} or exists (select 1 ${VERSIONS} and ${isPlate(version.plate)}))`;

/** A municipality and where its anonymization stands, if it has begun. */
const JOINED = sql`left join ${tableAs(anonymizations, anonymization)} on ${anonymization.municipalityId}`;
const BY_END = tableAs(parkingSessions, session, 'parking_sessions_by_end');

/** The conditions of the sessions that still have their plate, from where the anonymization stands. */
const withPlate = (before: SQL) => ({
  ended: sql`${session.runsUntil} >= ${endedUpTo} and ${overBefore(session, before).ended} and ${HAS_PLATE}`,
  open: sql`${session.runsUntil} = ${literal(OPEN_END)} and ${session.startsAt} >= ${openUpTo} and ${HAS_PLATE}`,
});

const PAST_SESSION = {
  id: session.id,
  recorded_at: session.recordedAt,
  plate: session.plate,
  /** A pseudonym that any version already has. */
  pseudonym: sql<
    string | null
  >`iif(${isPlate(session.plate)}, (select min(${version.plate}) ${VERSIONS} and not ${isPlate(version.plate)}), ${session.plate})`,
} as const;

/** Sessions that ended before an instant. */
const READ_PAST = statement({ before: value<number>(), max: value<number>() }, ({ before, max }) => {
  const { ended, open } = withPlate(before);
  const over = overBefore(session, before);
  const past = [
    sql`select ${session.id} as id
        from ${tableAs(municipalities, municipality)} ${JOINED} = ${municipality.id}
        cross join ${BY_END} on ${session.municipalityId} = ${municipality.id}
        where ${isNotMoving(municipality.id)} and ${ended}`,
    sql`select ${session.id}
        from ${tableAs(parkingSessions, session, 'parking_sessions_cancelled_with_plate')}
        where ${over.cancelled} and ${session.plate} >= '0' and ${isNotMoving(session.municipalityId)}`,
    sql`select ${session.id}
        from ${tableAs(sources, source)} ${JOINED} = ${source.municipalityId}
        cross join ${BY_END} on ${session.municipalityId} = ${source.municipalityId}
          and ${session.sourceCode} = ${source.code}
        where ${isNotMoving(source.municipalityId)} and ${open} and ${over.open(source.openSessionMaxHours)}`,
  ].map((which) => sql`select * from (${which} limit ${max})`);
  return select(
    PAST_SESSION,
    sql`from (${sql.join(past, sql` union `)} limit ${max}) as past
    cross join ${tableAs(parkingSessions, session)} on ${session.id} = past.id`,
  );
});

/** A JSON list of sessions as they were read (id, recording, plate), each with its pseudonym. */
const OF_LINES = { lines: value<string>() };

/**
 * The sessions that have not changed since they were read. Materialized, with a sign before its column: otherwise the planner
 * searches the whole table.
 */
const foundIn = (lines: SQL): SQL => sql`
    with found as materialized (
      select ${session.id} as id, ${session.municipalityId} as municipality, ${session.recordedAt} as recorded_at,
        ${lineAt(3)} as pseudonym
      from json_each(${lines}) as line
      cross join ${tableAs(parkingSessions, session)} on ${session.id} = ${lineAt(0)}
        and ${session.recordedAt} = ${lineAt(1)} and ${session.plate} = ${lineAt(2)}
    )`;

/** A gate's older list may have the session under its plate, and no later change would remove it. */
const FORGET_PAST = statement(
  OF_LINES,
  ({ lines }) => sql`${foundIn(lines)}
    update ${municipalities} set ${bare(municipalities.pastSince)} = max(
      ${municipalities.pastSince},
      (select max(found.recorded_at) from found where found.municipality = ${municipalities.id})
    )
    where ${municipalities.id} in (select found.municipality from found)`,
);

/** For each table of sessions, the past first. The statements find sessions by the plates read before. */
const ANONYMIZE = STORED_TABLES.flatMap((stored) => {
  const { table, goesWith, plate } = stored;
  return plate === undefined || (goesWith?.table ?? table) !== parkingSessions
    ? []
    : [
        statement(OF_LINES, ({ lines }) =>
          replacePlates(stored, plate, foundIn(lines), goesWith && isPlate(plate.column)),
        ),
      ];
}).toReversed();

/** Advances to the first session that still has its plate, so that none stored meanwhile is skipped. */
const ADVANCE = statement({ before: value<number>() }, ({ before }) => {
  const { ended, open } = withPlate(before);
  const firstOf = (column: SQL, condition: SQL): SQL => sql`(
      select ${column} from ${BY_END}
      where ${session.municipalityId} = ${municipality.id} and ${condition}
      order by ${column} limit 1
    )`;
  const { endedUpTo: ofEnded, openUpTo: ofOpen } = anonymizations;
  return sql`
    insert into ${anonymizations} (${bare(anonymizations.municipalityId)}, ${bare(ofEnded)}, ${bare(ofOpen)})
    select ${municipality.id},
      coalesce(${firstOf(sql`${session.runsUntil}`, ended)}, max(${before}, ${endedUpTo})),
      coalesce(
        ${firstOf(sql`${session.startsAt}`, sql`${open} and ${session.startsAt} < ${before}`)},
        max(${before}, ${openUpTo})
      )
    from ${tableAs(municipalities, municipality)} ${JOINED} = ${municipality.id}
    where true
    on conflict (${bare(anonymizations.municipalityId)}) do update set
      ${bare(ofEnded)} = excluded.${bare(ofEnded)}, ${bare(ofOpen)} = excluded.${bare(ofOpen)}`;
});

/** Makes the municipality's move start its copy again: nothing records which rows have changed. */
const MAKE_COPIES_STALE = statement(
  OF_LINES,
  ({ lines }) => sql`
    update ${moves} set ${bare(moves.erasures)} = ${moves.erasures} + 1 where ${moves.municipalityId} in (
      select ${session.municipalityId} from json_each(${lines}) as line
      cross join ${tableAs(parkingSessions, session)} on ${session.id} = ${lineAt(0)}
    )`,
);

/** Anonymizes a table whose plates belong to neither sessions nor subscriptions. */
interface Other {
  readonly kind: string;
  readonly statements: (before: Instant, rows: number) => readonly SQL[];
}

/**
 * Gives each row that was over before an instant a pseudonym of its own, unless its municipality is being moved. Makes moves
 * start their copies again.
 */
export const OTHERS = STORED_TABLES.flatMap((stored): Other[] => {
  const { kind, table, owner, plate, over } = stored;
  if (plate?.overIndex === undefined || over === undefined) {
    return [];
  }
  const rows = tableByIndex(table, plate.overIndex);
  const due = (before: Instant, max: number): SQL =>
    sql`select ${list(subjectKeyOf(stored))}, ${owner} as municipality, '*' || lower(hex(randomblob(7))) as pseudonym
    from ${rows} where ${over.at} < ${before} and ${plate.column} >= '0' and ${isNotMoving(owner)} limit ${max}`;
  const statements = (before: Instant, max: number): readonly SQL[] => [
    sql`update ${moves} set ${bare(moves.erasures)} = ${moves.erasures} + 1
where ${moves.municipalityId} in (select municipality from (${due(before, max)}))`,
    replacePlates(stored, plate, sql`with found as materialized (${due(before, max)})`),
  ];
  return [{ kind, statements }];
});

/** The number of statements in a batch. */
export const ANONYMIZATION_STATEMENTS = 5 + ANONYMIZE.length;

/**
 * Replaces the plates of sessions that ended before an instant by pseudonyms, in all versions: one batch, two round trips. Each
 * session has its own pseudonym, so that sessions of one vehicle cannot be linked.
 *
 * @returns the number of sessions, and whether these were all
 */
export async function anonymizeBefore(db: D1Database, before: Instant, max: number): Promise<Deleted> {
  const { results: past } = await all(READ_PAST.prepare(db, { before, max }));
  if (past.length === 0) {
    return { rows: 0, isDone: true, statements: 1 };
  }
  // An erasure may have left a pseudonym.
  const lines = JSON.stringify(
    past.map(({ id, recorded_at, plate, pseudonym }) => [
      id,
      recorded_at,
      plate,
      pseudonym ?? newPseudonym(),
    ]),
  );
  const results = await writeBatch(db, [
    FORGET_PAST.prepare(db, { lines }),
    ...ANONYMIZE.map((anonymize) => anonymize.prepare(db, { lines })),
    ADVANCE.prepare(db, { before }),
    MAKE_COPIES_STALE.prepare(db, { lines }),
  ]);
  const rows = results[ANONYMIZE.length]?.results.length ?? 0;
  return { rows, isDone: past.length < max, statements: ANONYMIZATION_STATEMENTS };
}
