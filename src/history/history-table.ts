import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { recordOf, requestIdOf, type WholeSession } from '../db/journal-sql.ts';
import { areas, journal } from '../db/schema/index.ts';
import { columns, type RowOf, tableAs } from '../db/sql.ts';
import { instant } from '../domain/instant.ts';
import { type Change, recordedSession, recordedSubscription, type SessionChange } from './recorded.ts';
import { wholeRecord } from './shared-rows-parts.ts';

/** A row of the journal that is about a plate. */
export const change = alias(journal, 'change');
const left = alias(areas, 'left_area');

const SELECTION = {
  sequence: change.sequence,
  kind: change.kind,
  recorded_at: change.recordedAt,
  request_id: requestIdOf(change.requestId),
  source_code: change.sourceCode,
  key: change.key,
  left_area_code: sql<string | null>`${left.code}`,
  record: wholeRecord(change),
} as const;

export type ChangeRow = RowOf<typeof SELECTION>;

/**
 * The select and the `from` of statements that read changes of a plate.
 *
 * @param from what comes before the journal, with the join's own condition after it: looked up from that, row by row
 */
export const selectChanges = (
  more: Readonly<Record<string, SQL>> = {},
  from: SQL = tableAs(journal, change),
): SQL => sql`
select ${columns({ ...SELECTION, ...more })}
from ${from}
left join ${tableAs(areas, left)} on ${left.id} = ${change.leftAreaId}`;

/** The change of a row, which is about a plate. */
export function changeOf(row: ChangeRow, plate: string): Change {
  const common = {
    recordedAt: instant(row.recorded_at),
    requestId: row.request_id,
    key: row.key ?? '',
  };
  const { record } = row;
  return row.kind === 'parking_session'
    ? {
        ...common,
        kind: row.kind,
        sourceCode: row.source_code ?? '',
        leftAreaCode: row.left_area_code,
        record: record === null ? null : recordedSession(record, { key: common.key, plate }),
      }
    : {
        ...common,
        kind: 'subscription',
        sourceCode: null,
        record: record === null ? null : recordedSubscription(record, common.key),
      };
}

/** How a session was stored first, where no row of the journal says so: in its own row, or in that of its first change. */
export interface FirstVersionRow {
  readonly recorded_at: number;
  readonly request_id: string | null;
  readonly source_code: string;
  readonly key: string;
  readonly record: string;
}

/** The columns of a {@link FirstVersionRow} in a session's own row. */
export const firstVersionInSession = (s: WholeSession) => ({
  recorded_at: sql`${s.knownAt}`,
  request_id: requestIdOf(s.knownBy),
  source_code: sql`${s.sourceCode}`,
  key: sql`${s.sessionId}`,
  record: recordOf(s),
});

/** Likewise in a row of the journal. */
export const firstVersionInJournal = (
  row: Readonly<Record<'firstAt' | 'firstBy' | 'firstRecord' | 'sourceCode' | 'key', SQLWrapper>>,
) => ({
  recorded_at: sql`${row.firstAt}`,
  request_id: requestIdOf(row.firstBy),
  source_code: sql`${row.sourceCode}`,
  key: sql`${row.key}`,
  record: sql`${row.firstRecord}`,
});

/** A first version as the change that it was. */
export const firstChangeOf = (row: FirstVersionRow, plate: string): SessionChange => ({
  kind: 'parking_session',
  recordedAt: instant(row.recorded_at),
  requestId: row.request_id,
  sourceCode: row.source_code,
  key: row.key,
  leftAreaCode: null,
  record: recordedSession(row.record, { key: row.key, plate }),
});
