import { type SQL, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Instant } from '../../domain/instant.ts';
import { firstIdAt } from '../../storage/call-log/call-log-table.ts';
import { db, type Query, query } from '../../storage/db/batch.ts';
import {
  callPlates,
  calls,
  configurationVersions,
  erasedPlates,
  imports,
  municipalities,
  pastParkingSessions,
  pastSubscriptionPlates,
  pastSubscriptions,
  rejectedPlates,
} from '../../storage/db/schema/index.ts';
import { list } from '../../storage/db/sql.ts';

/** The instants before which rows are past their retention: the values of the statements. */
export interface Cuts extends Readonly<Record<string, Instant>> {
  readonly calls: Instant;
  readonly sessions: Instant;
  readonly subscriptions: Instant;
  /** The rejected plates'. */
  readonly day: Instant;
  /** The longest retention of all. */
  readonly longest: Instant;
}

/** Deletes some rows of a table. It returns a row for each. */
export interface Deletion {
  readonly table: string;
  /** The most that one statement deletes: a check that arrives meanwhile has to wait for it. */
  readonly rows: number;
  readonly remove: Query<unknown[]>;
}

const ROWS = 250;
const [SESSIONS, SUBSCRIPTIONS] = [sql.placeholder('sessions'), sql.placeholder('subscriptions')];
const LIMIT = sql`limit ${sql.placeholder('rows')}`;

/** @param some selects the keys of some rows that are past their retention */
const deletion = (
  table: string,
  from: SQLiteTable,
  key: readonly SQLiteColumn[],
  some: SQL,
  rows = ROWS,
): Deletion => ({
  table,
  rows,
  remove: query(() =>
    db.all(
      sql`delete from ${from} where (${list(key)}) in (select ${list(key)} ${some} ${LIMIT}) returning 1 as deleted`,
    ),
  ),
});

/** Rows of municipalities, but not of one that is being restored: later parts may refer to them. */
const ofMunicipalities = (
  table: SQLiteTable & { readonly municipalityId: SQLiteColumn },
  condition: SQL,
): SQL => sql`from ${municipalities} cross join ${table} on ${table.municipalityId} = ${municipalities.id} and ${condition}
  where ${municipalities.restoring} is null`;

const laterVersion = alias(configurationVersions, 'later');
const laterImport = alias(imports, 'later');

/**
 * Tables of which a row is past its retention by an instant of an index alone, in order: versions go before their session or
 * subscription. A configuration and a kept import are replaced when the next one is recorded.
 */
export const DELETIONS: readonly Deletion[] = [
  // The key begins with the instant.
  deletion(
    'calls',
    calls,
    [calls.id],
    sql`from ${calls} where ${calls.id} < ${firstIdAt(sql`${sql.placeholder('calls')}`)}`,
    1_000,
  ),
  deletion(
    'call_plates',
    callPlates,
    [callPlates.id, callPlates.position],
    sql`from ${callPlates} where ${callPlates.id} < ${firstIdAt(sql`${sql.placeholder('calls')}`)}`,
    1_000,
  ),
  deletion(
    'rejected_plates',
    rejectedPlates,
    [rejectedPlates.id],
    sql`from ${rejectedPlates} where ${rejectedPlates.at} < ${sql.placeholder('day')}`,
  ),
  deletion(
    'past_parking_sessions',
    pastParkingSessions,
    [pastParkingSessions.id, pastParkingSessions.replacedAt],
    ofMunicipalities(pastParkingSessions, sql`${pastParkingSessions.replacedAt} < ${SESSIONS}`),
  ),
  deletion(
    'past_subscriptions',
    pastSubscriptions,
    [pastSubscriptions.id, pastSubscriptions.replacedAt],
    ofMunicipalities(pastSubscriptions, sql`${pastSubscriptions.replacedAt} < ${SUBSCRIPTIONS}`),
  ),
  deletion(
    'past_subscription_plates',
    pastSubscriptionPlates,
    [pastSubscriptionPlates.subscriptionId, pastSubscriptionPlates.replacedAt, pastSubscriptionPlates.id],
    ofMunicipalities(pastSubscriptionPlates, sql`${pastSubscriptionPlates.replacedAt} < ${SUBSCRIPTIONS}`),
  ),
  deletion(
    'configuration_versions',
    configurationVersions,
    [configurationVersions.municipalityId, configurationVersions.recordedAt],
    ofMunicipalities(
      configurationVersions,
      sql`${configurationVersions.recordedAt} < (select max(${laterVersion.recordedAt}) from ${configurationVersions} as ${laterVersion}
        where ${laterVersion.municipalityId} = ${municipalities.id} and ${laterVersion.recordedAt} < ${SESSIONS})`,
    ),
    // One may have a megabyte.
    10,
  ),
  deletion(
    'imports',
    imports,
    [imports.sourceId, imports.recordedAt],
    ofMunicipalities(
      imports,
      sql`${imports.recordedAt} < ${SESSIONS} and ${imports.recordedAt} < (
        select max(${laterImport.recordedAt}) from ${imports} as ${laterImport}
        where ${laterImport.sourceId} = ${imports.sourceId} and ${laterImport.recordedAt} < ${SESSIONS})`,
    ),
  ),
  deletion(
    'erased_plates',
    erasedPlates,
    [erasedPlates.municipalityId, erasedPlates.digest],
    sql`from ${erasedPlates} where ${erasedPlates.erasedAt} < ${sql.placeholder('longest')} and ${erasedPlates.municipalityId} not in (
      select ${municipalities.id} from ${municipalities} where ${municipalities.restoring} is not null)`,
  ),
];
