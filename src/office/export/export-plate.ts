import * as z from 'zod';
import { refuseFields } from '../../base/errors/refusal.ts';
import type { Language } from '../../base/text/text.ts';
import { storedPayment } from '../../core/recorded-payments/payment-parts.ts';
import { presentFound } from '../../core/recorded-payments/present.ts';
import { type Instant, instant } from '../../domain/instant.ts';
import type { Plate } from '../../domain/plate.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import type { Env } from '../../env.ts';
import { parsed } from '../../storage/db/sql.ts';
import { splitFieldValues } from '../../storage/db/subscription-fields.ts';
import type { Change } from '../../storage/history/recorded.ts';
import { followingRow, sessionChanges } from '../../storage/history/session-versions-parts.ts';
import type { ListedChange } from '../../storage/history/subscription-changes.ts';
import type { Holder } from '../administration/holders-table.ts';
import { presentCall } from '../administration/logged-call.ts';
import { presentRecord, presentSession, presentSubscription } from '../history/history.ts';
import type { ExportAnswer } from './contract.ts';
import {
  BEFORE_SESSIONS,
  type ExportCursor,
  type ExportedRows,
  type ExportedSessionRow,
  type ExportedSubscriptionTuple,
  type ExportedVersionRow,
  exportCursor,
  MAX_EXPORTED,
  positionOfSession,
  readExport,
} from './export-table.ts';

/** A change, and the id of its municipality. */
interface ExportedChange {
  readonly municipalityId: number;
  readonly change: Change;
}

/** A page's history, and the cursor of the next page. */
interface HistoryPage {
  readonly changes: readonly ExportedChange[];
  readonly position: Partial<ExportCursor>;
  readonly isMore: boolean;
}

/**
 * The most bytes of subscriptions' changes in a page, roughly: where a record has numbers, an answer has names and whole
 * dates.
 */
const MAX_BYTES = 512 * 1024;

/** The position after all subscriptions. */
const AT_END = { changesOf: Number.MAX_SAFE_INTEGER, changesFrom: 0 } as const;

/**
 * Lists the present version of each session, then, after the last session, replaced versions, then the changes of
 * subscriptions. A version that is replaced during the export appears among the replaced ones, whether or not it was sent
 * as a present one.
 */
function historyPage(
  { sessions, past, changes: subscriptions }: Pick<ExportedRows, 'sessions' | 'past' | 'changes'>,
  plate: Plate,
): HistoryPage {
  const changes = sessions.rows.map((row) => presentChange(row, plate));
  if (sessions.isMore) {
    return { changes, position: {}, isMore: true };
  }
  let position: Partial<ExportCursor> = {};
  for (const row of past.rows) {
    const own = changesOf(row);
    if (changes.length + own.length > MAX_EXPORTED) {
      return { changes, position, isMore: true };
    }
    changes.push(...own);
    position = { pastAt: row.recorded_at, past: row.id };
  }
  if (past.isMore) {
    return { changes, position, isMore: true };
  }
  const fitting = fittingChanges(subscriptions.changes, MAX_EXPORTED - changes.length);
  changes.push(...fitting);
  const next = fitting.length < subscriptions.changes.length ? positionAfter(fitting) : subscriptions.next;
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

const positionAfter = (listed: readonly ListedChange[]) => {
  const last = listed.at(-1);
  return last && { id: last.id, at: last.change.recordedAt + 1 };
};

/** The first changes, as many as there is room for. */
function fittingChanges(all: readonly ListedChange[], max: number): readonly ListedChange[] {
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

/** The cursor at the beginning. */
const START: ExportCursor = {
  ...{ ...BEFORE_SESSIONS, subscription: 0, pastAt: -1, past: -1, changesOf: 0, changesFrom: 0 },
  ...{ paymentAt: -1, payment: '', callAt: -1, callId: '', began: 0 },
};

/**
 * Exports a tenant's data about a plate: at most a thousand items of each kind per answer, and no more than fit; `next`
 * continues.
 */
export async function exportPlate(
  env: Env,
  holder: Holder,
  after: string | null,
  now: Instant,
  language: Language,
): Promise<ExportAnswer> {
  const from = after === null ? START : readCursor(after);
  const read = await readExport(env.DB, holder, from);
  const held = new Map(holder.municipalities.map((municipality) => [municipality.id, municipality]));
  const placeIn = (id: number) => {
    const { code = '', timeZone = 'UTC' } = held.get(id) ?? {};
    return { code, timeZone };
  };
  const { sessions, subscriptions, calls } = read;
  const payments = read.payments.rows.map((row) => ({ ...row, stored: storedPayment(row.payment) }));
  const lastPayment = payments.at(-1)?.stored;
  const history = historyPage(read, holder.plate);
  const lastSession = sessions.rows.at(-1);
  const lastCall = calls.rows.at(-1);
  const next: ExportCursor = {
    ...from,
    ...(lastSession && positionOfSession(lastSession)),
    subscription: subscriptions.rows.at(-1)?.id ?? from.subscription,
    ...history.position,
    began: from.began || now,
    paymentAt: lastPayment?.collectedAt ?? from.paymentAt,
    payment: lastPayment?.paymentId ?? from.payment,
    callAt: lastCall?.at ?? from.callAt,
    callId: lastCall?.requestId ?? from.callId,
  };
  const isMore = [sessions, subscriptions, history, read.payments, calls].some((page) => page.isMore);
  return {
    sessions: sessions.rows.map((row) => {
      const { code, timeZone } = placeIn(row.municipality_id);
      return {
        municipality_code: code,
        source_code: row.source_code,
        ...presentSession(row, holder.plate, timeZone),
      };
    }),
    subscriptions: subscriptions.rows.map(({ municipality_id, subscription }) => {
      const { code, timeZone } = placeIn(municipality_id);
      // The statement selects this shape.
      const tuple = parsed(subscription);
      return { municipality_code: code, ...presentSubscription(recordOf(tuple), holder.plate, timeZone) };
    }),
    history: history.changes.map(({ municipalityId, change }) => {
      const { code, timeZone } = placeIn(municipalityId);
      return {
        municipality_code: code,
        recorded_at: formatInstant(change.recordedAt, timeZone),
        request_id: change.requestId,
        kind: change.kind,
        source_code: change.sourceCode,
        key: change.key,
        record: presentRecord(change, holder.plate, timeZone),
      };
    }),
    payments: payments.map(({ municipality_id, municipality_name, stored }) => {
      const place = { ...placeIn(municipality_id), name: municipality_name };
      return { municipality_code: place.code, ...presentFound(stored, place, language) };
    }),
    calls: calls.rows.map(presentCall),
    next: isMore ? JSON.stringify(NAMES.map((name) => next[name])) : null,
  };
}

function recordOf([, [number, ...values], type, revision, areaCodes]: ExportedSubscriptionTuple) {
  const [stored, isEverywhere, validity, periods] = splitFieldValues(values);
  return {
    subscription_number: number,
    type,
    plates: validity.map(([valid_from, valid_until]) => ({ valid_from, valid_until })),
    ...stored,
    areas: isEverywhere === 1 ? ('all' as const) : areaCodes,
    revision,
    periods: periods.map(([starts_at, ends_at]) => ({ starts_at, ends_at })),
  };
}

const BAD_CURSOR = { en: 'is not the `next` of an export', it: 'non è il `next` di un’esportazione' };

const NAMES = Object.keys(exportCursor.shape) as (keyof ExportCursor)[];

/** @throws Refusal `INVALID_REQUEST` for an invalid cursor */
function readCursor(after: string): ExportCursor {
  try {
    const values = z.array(z.unknown()).length(NAMES.length).parse(JSON.parse(after));
    return exportCursor.parse(Object.fromEntries(NAMES.map((name, index) => [name, values[index]])));
  } catch {
    refuseFields([{ path: 'after', message: BAD_CURSOR }]);
  }
}
