import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { requestIdOf } from '../db/journal-sql.ts';
import { areas, journal } from '../db/schema/index.ts';
import { aliased, columns, type RowOf } from '../db/sql.ts';
import { instant } from '../domain/instant.ts';
import { type Change, recordedSession, recordedSubscription } from './recorded.ts';

/** A row of the journal that is about a plate. */
export const j = alias(journal, 'j');
const left = alias(areas, 'left_area');

const SELECTION = {
  sequence: j.sequence,
  kind: j.kind,
  recorded_at: j.recordedAt,
  request_id: requestIdOf(j.requestId),
  source_code: j.sourceCode,
  key: j.key,
  left_area_code: sql<string | null>`${left.code}`,
  record: j.record,
} as const;

export type ChangeRow = RowOf<typeof SELECTION>;

/**
 * The select and the `from` of statements that read changes `j` of a plate.
 *
 * @param from what stands before the journal, with the join's own condition behind it: looked up from that, row by row
 */
export const selectChanges = (
  more: Readonly<Record<string, SQL>> = {},
  from: SQL = aliased(journal, j),
): SQL => sql`
select ${columns({ ...SELECTION, ...more })}
from ${from}
left join ${aliased(areas, left)} on ${left.id} = ${j.leftAreaId}`;

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
