import { instant } from '../../domain/instant.ts';
import type { Plate } from '../../domain/plate.ts';
import type { Change } from '../../storage/history/recorded.ts';
import { followingRow, sessionChanges } from '../../storage/history/session-versions-parts.ts';
import type { ToldChange } from '../../storage/history/subscription-changes.ts';
import type { ExportedSessionRow, ExportedVersionRow } from './export-statements.ts';
import type { ExportCursor, ExportedRows } from './export-table.ts';

/** A change, and whose. */
interface ExportedChange {
  readonly municipalityId: number;
  readonly change: Change;
}

/** The history of a page, and the cursor of the next one. */
interface HistoryPage {
  readonly changes: readonly ExportedChange[];
  readonly position: Partial<ExportCursor>;
  readonly isMore: boolean;
}

/** About as many bytes of what became of subscriptions: an answer writes names and whole dates where a record has numbers. */
const MAX_BYTES = 512 * 1024;

/** Behind every subscription. */
const AT_END = { changesOf: Number.MAX_SAFE_INTEGER, changesFrom: 0 } as const;

/**
 * Each session as it is, where it is answered; once all of them are, their replaced versions; and then what became of the
 * subscriptions. A version that is replaced during the export is found behind the sessions, whether it was answered as one or not.
 */
export function historyPage(
  { sessions, past, changes: subscriptions }: Pick<ExportedRows, 'sessions' | 'past' | 'changes'>,
  plate: Plate,
  max: number,
): HistoryPage {
  const changes = sessions.rows.map((row) => presentChange(row, plate));
  if (sessions.isMore) {
    return { changes, position: {}, isMore: true };
  }
  let position: Partial<ExportCursor> = {};
  for (const row of past.rows) {
    const own = changesOf(row);
    if (changes.length + own.length > max) {
      return { changes, position, isMore: true };
    }
    changes.push(...own);
    position = { pastAt: row.recorded_at, past: row.id };
  }
  if (past.isMore) {
    return { changes, position, isMore: true };
  }
  const told = toldWithin(subscriptions.changes, max - changes.length);
  changes.push(...told);
  const next = told.length < subscriptions.changes.length ? behind(told) : subscriptions.next;
  if (next === undefined) {
    return { changes, position, isMore: true };
  }
  const isMore = next !== null;
  return {
    changes,
    position: { ...position, ...(isMore ? { changesOf: next.id, changesFrom: next.at } : AT_END) },
    isMore,
  };
}

const behind = (told: readonly ToldChange[]) => {
  const last = told.at(-1);
  return last && { id: last.id, at: last.change.recordedAt + 1 };
};

/** As many as there is room for. */
function toldWithin(all: readonly ToldChange[], max: number): readonly ToldChange[] {
  let bytes = 0;
  const end = all.findIndex((change, index) => {
    const isOver = index >= max || bytes >= MAX_BYTES;
    bytes += change.bytes;
    return isOver;
  });
  return end === -1 ? all : all.slice(0, end);
}

const changesOf = (row: ExportedVersionRow): ExportedChange[] =>
  [row, ...(row.following === null ? [] : [followingRow(row, row.following)])]
    .flatMap(sessionChanges)
    .map((change) => ({ municipalityId: row.municipality_id, change }));

function presentChange(row: ExportedSessionRow, plate: Plate): ExportedChange {
  const { municipality_id: municipalityId, session_id: key, source_code: sourceCode } = row;
  return {
    municipalityId,
    change: {
      ...{ kind: 'parking_session', key, sourceCode, leftAreaCode: null, record: { ...row, plate } },
      ...{ recordedAt: instant(row.recorded_at), requestId: row.request_id },
    },
  };
}
