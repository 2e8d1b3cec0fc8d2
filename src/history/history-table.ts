import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { areas, journal } from '../db/schema/index.ts';
import { aliased, columns, type RowOf } from '../db/sql.ts';
import { instant } from '../domain/instant.ts';
import type { Change } from './recorded.ts';

/** A row of the journal that is about a plate. */
export const j = alias(journal, 'j');
const left = alias(areas, 'left_area');

const SELECTION = {
  sequence: j.sequence,
  kind: j.kind,
  recorded_at: j.recordedAt,
  request_id: j.requestId,
  source_code: j.sourceCode,
  key: j.key,
  left_area_code: sql<string | null>`${left.code}`,
  record: j.record,
} as const;

export type ChangeRow = RowOf<typeof SELECTION>;

/** The select and the `from` of statements that read changes `j` of a plate. */
export const selectChanges = (more: Readonly<Record<string, SQL>> = {}, joins: SQL = sql``): SQL => sql`
select ${columns({ ...SELECTION, ...more })}
from ${aliased(journal, j)} ${joins}
left join ${aliased(areas, left)} on ${left.id} = ${j.leftAreaId}`;

/** The change of a row. The shape of a record is what the writers of the journal put there. */
export function changeOf(row: ChangeRow): Change {
  const common = {
    sequence: row.sequence,
    recordedAt: instant(row.recorded_at),
    requestId: row.request_id,
    key: row.key ?? '',
  };
  const record = row.record === null ? null : JSON.parse(row.record);
  return row.kind === 'parking_session'
    ? {
        ...common,
        kind: row.kind,
        sourceCode: row.source_code ?? '',
        leftAreaCode: row.left_area_code,
        record,
      }
    : { ...common, kind: 'subscription', sourceCode: null, record };
}
