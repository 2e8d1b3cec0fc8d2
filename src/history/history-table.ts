import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { requestIdOf } from '../db/journal-sql.ts';
import { areas, journal } from '../db/schema/index.ts';
import { columns, type RowOf, tableAs } from '../db/sql.ts';
import { instant } from '../domain/instant.ts';
import { type Change, recordedSession, recordedSubscription } from './recorded.ts';

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
  record: change.record,
} as const;

export type ChangeRow = RowOf<typeof SELECTION>;

/**
 * The select and the `from` of statements that read changes `j` of a plate.
 *
 * @param from what comes before the journal, with the join's own condition behind it: looked up from that, row by row
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
    sequence: row.sequence,
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
