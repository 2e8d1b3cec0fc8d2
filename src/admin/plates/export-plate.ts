import { databasesOf, HOME } from '../../databases/bindings.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import type { Env } from '../../env.ts';
import { invalidRequest } from '../../errors/refusal.ts';
import { changeOf } from '../../history/history-table.ts';
import { presentRecord, presentSession, presentSubscription } from '../../history/present.ts';
import { presentCall } from '../logged-call.ts';
import type { ExportedSubscriptionTuple } from './export-statements.ts';
import { type ExportPlace, readExport } from './export-table.ts';
import type { Holder } from './holder.ts';
import { type ExportAnswer, MOST_EXPORTED } from './response.ts';

const START: ExportPlace = { session: 0, subscription: 0, change: 0, callAt: -1, callId: '', database: 0 };

/**
 * Everything that a tenant holds on a plate, at most a thousand of each kind and what one answer can hold, from one
 * database after the other; `next` continues it.
 */
export async function exportPlate(env: Env, holder: Holder, after: string | null): Promise<ExportAnswer> {
  const from = after === null ? START : placeOf(after);
  const databases = databasesOf(env);
  const { name, db } = databases[from.database] ?? { name: HOME, db: env.DB };
  const living = holder.municipalities.filter(({ movedTo }) => (movedTo ?? HOME) === name);
  const read = await readExport(db, { ...holder, municipalities: living }, from, MOST_EXPORTED);
  const held = new Map(holder.municipalities.map((municipality) => [municipality.id, municipality]));
  const placeIn = (id: number) => {
    const { code = '', timeZone = 'UTC' } = held.get(id) ?? {};
    return { code, timeZone };
  };
  const { sessions, subscriptions, changes, calls } = read;
  const lastCall = calls.rows.at(-1);
  const next: ExportPlace = {
    session: sessions.rows.at(-1)?.id ?? from.session,
    subscription: subscriptions.rows.at(-1)?.id ?? from.subscription,
    change: changes.rows.at(-1)?.sequence ?? from.change,
    callAt: lastCall?.at ?? from.callAt,
    callId: lastCall?.requestId ?? from.callId,
    database: from.database,
  };
  const isMore = Object.values(read).some((page) => page.isMore);
  const isLast = from.database + 1 >= databases.length;
  const further = isMore ? next : isLast ? null : { ...START, database: from.database + 1 };
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
      // The shape is that of the statement.
      const tuple = JSON.parse(subscription) as ExportedSubscriptionTuple;
      return { municipality_code: code, ...presentSubscription(recordOf(tuple), holder.plate, timeZone) };
    }),
    history: changes.rows.map((row) => {
      const { code, timeZone } = placeIn(row.municipality_id);
      const change = changeOf(row);
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
    calls: calls.rows.map(presentCall),
    next: further && JSON.stringify(Object.values(further)),
  };
}

function recordOf([, subscription, type, revision, areaCodes]: ExportedSubscriptionTuple) {
  const [
    number,
    approval,
    from,
    until,
    suspendedFrom,
    suspendedUntil,
    revokedAt,
    allAreas,
    validity,
    periods,
  ] = subscription;
  return {
    subscription_number: number,
    type,
    plates: validity.map(([valid_from, valid_until]) => ({ valid_from, valid_until })),
    approval,
    authorized_from: from,
    authorized_until: until,
    areas: allAreas === 1 ? ('all' as const) : areaCodes,
    suspended_from: suspendedFrom,
    suspended_until: suspendedUntil,
    revoked_at: revokedAt,
    revision,
    periods: periods.map(([starts_at, ends_at]) => ({ starts_at, ends_at })),
  };
}

const BAD_PLACE = { en: 'is not the `next` of an export', it: 'non è il `next` di un’esportazione' };

/** @throws Refusal `INVALID_REQUEST` for what is no place */
function placeOf(after: string): ExportPlace {
  try {
    const [session, subscription, change, callAt, callId, database, ...others] = JSON.parse(
      after,
    ) as unknown[];
    const numbers = [session, subscription, change, callAt, database];
    if (numbers.every(Number.isSafeInteger) && typeof callId === 'string' && others.length === 0) {
      const [one = 0, two = 0, three = 0, four = 0, five = 0] = numbers.map(Number);
      return { session: one, subscription: two, change: three, callAt: four, callId, database: five };
    }
  } catch {
    // Said below.
  }
  throw invalidRequest([{ path: 'after', message: BAD_PLACE }]);
}
