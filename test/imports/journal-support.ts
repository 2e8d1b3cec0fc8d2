import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { recordedSession, recordedSubscription } from '../../src/history/recorded.ts';
import { issueCredential } from '../support/credential.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { CITY } from '../support/seed.ts';
import { type Answer, Service } from '../support/service.ts';
import { APP1_SESSIONS, file, SUBSCRIPTIONS, send } from './support.ts';

/** When the first import of a test comes. */
export const NOW = Date.UTC(2026, 2, 10, 11);

/** What a journaled city imports with. */
export interface Imports {
  importInto(path: string, lines: readonly object[], service?: Service): Promise<Answer>;
  sessions(...lines: readonly object[]): Promise<Answer>;
  subscriptions(...lines: readonly object[]): Promise<Answer>;
}

/** Registers a new city before each test, whose clock stands at {@link NOW} until the test moves it. */
export function journaledCity(): Imports {
  let headers: Record<string, string>;

  beforeEach(async () => {
    await freshDatabase(CITY);
    vi.useFakeTimers({ toFake: ['Date'], now: NOW });
    ({ headers } = await issueCredential());
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const importInto = (path: string, lines: readonly object[], service = new Service()) =>
    send(service, path, file(lines), headers);
  return {
    importInto,
    sessions: (...lines) => importInto(APP1_SESSIONS, lines),
    subscriptions: (...lines) => importInto(SUBSCRIPTIONS, lines),
  };
}

export interface JournalRow {
  readonly kind: string;
  readonly recorded_at: number;
  readonly request_id: string | null;
  readonly source_code: string | null;
  readonly key: string | null;
  readonly plate: string | null;
  readonly area_id: number | null;
  readonly left_area_id: number | null;
  readonly record: Record<string, unknown> | null;
}

/** The row of `aSessionLine()`, without its record. */
export const ROW = {
  kind: 'parking_session',
  recorded_at: NOW,
  request_id: expect.any(String),
  source_code: 'app1',
  key: 's-1',
  plate: 'AB123CD',
  // A street has no list.
  area_id: null,
  left_area_id: null,
};

/** The plate that a row of the journal is about: its own, or that of its session. */
const PLATE = `coalesce(j.plate, (select s.plate from parking_sessions as s where s.municipality_id = j.municipality_id
    and s.source_code = j.source_code and s.session_id = j.key))`;

/** The record of a row, whole: what the plates of a subscription share is in the last row without a plate before it. */
const WHOLE = `iif(j.record glob '[[][[]*', (select json_set(s.record, '$[3]', json(j.record)) from journal as s
  where s.municipality_id = j.municipality_id and s.kind = j.kind and s.key = j.key and s.plate is null and s.sequence < j.sequence
  order by s.sequence desc limit 1), j.record)`;

/**
 * All that was recorded, as if each of it had a row of its own: a session that has not changed says itself what it was stored as,
 * and else its first row says so too. `of_first` 0: such a first version.
 */
export const RECORDED = `(
  select municipality_id, sequence, 1 as of_first, kind, recorded_at, request_id, source_code, key, ${PLATE} as plate, area_id,
    left_area_id, ${WHOLE} as record from journal as j where kind <> 'subscription' or plate is not null or key is null
  union all
  select municipality_id, sequence, 0, kind, first_at, first_by, source_code, key, ${PLATE}, null, null, first_record
  from journal as j where first_at is not null
  union all
  select s.municipality_id, s.id, 0, 'parking_session', s.known_at, s.known_by, s.source_code, s.session_id, s.plate, null, null,
    json_array(a.code, s.starts_at, s.ends_at, s.cancelled_at, s.revision)
  from parking_sessions as s join areas as a on a.id = s.area_id where s.known_at is not null
)`;

/** What was recorded of some kinds in its order, without what is random. */
export async function journalOf(...kinds: readonly string[]): Promise<JournalRow[]> {
  const { results } = await env.DB.prepare(
    `select kind, recorded_at, iif(typeof(request_id) = 'blob', hex(request_id), request_id) as request_id,
       source_code, key, plate, area_id, left_area_id, record
     from ${RECORDED} where kind in (select value from json_each(?)) order by recorded_at, of_first, sequence`,
  )
    .bind(JSON.stringify(kinds))
    .all<StoredRow & Omit<JournalRow, 'record'>>();
  return results.map((row) => ({
    ...row,
    request_id: row.request_id && withDashes(row.request_id),
    record: recordOf(row),
  }));
}

const withDashes = (id: string): string =>
  id.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

type StoredRow = Pick<JournalRow, 'kind' | 'key' | 'plate'> & { readonly record: string | null };

/** The record of a row by its names, in whichever form it is stored. */
export function recordOf({ kind, key, plate, record }: StoredRow): Record<string, unknown> | null {
  if (record === null) return null;
  const row = { key: key ?? '', plate: plate ?? '' };
  if (kind === 'parking_session') return { ...recordedSession(record, row) };
  return kind === 'subscription' ? { ...recordedSubscription(record, row.key) } : JSON.parse(record);
}

/**
 * What the journal says stands now, next to what is stored, as texts in one order: equal while both are in step. The
 * newest row of each session, and of each plate of a subscription, is how it stands.
 */
export async function standing(): Promise<{ readonly journaled: unknown; readonly stored: unknown }> {
  const ofKey = `from ${RECORDED} as n where n.kind = j.kind and n.municipality_id = j.municipality_id
    and n.source_code is j.source_code and n.key is j.key`;
  const newest = (kind: string, key: string) => `
    select kind, key, plate, record from ${RECORDED} as j where kind = '${kind}' and record is not null
      and of_first = (select max(of_first) ${ofKey} ${key}) and sequence = (select max(sequence) ${ofKey} and n.of_first = j.of_first ${key})`;
  const sessions = `
    select json_object('session_id', s.session_id, 'plate', s.plate, 'area_code', a.code, 'starts_at', s.starts_at,
      'ends_at', s.ends_at, 'cancelled_at', s.cancelled_at, 'revision', s.revision) as text
    from parking_sessions as s join areas as a on a.id = s.area_id`;
  const onPlates = `
    select distinct s.subscription_number || ' ' || p.plate || ' ' || coalesce(s.revision, '-') || ' '
      || coalesce(s.authorized_from, '-') as text
    from subscriptions as s join subscription_plates as p on p.subscription_id = s.id`;
  const freshness = 'select last_outcome || last_finished_at as text from source_imports';
  const read = async <Row>(statements: readonly string[], textOf: (row: Row) => unknown) => {
    const results = await env.DB.batch<Row>(statements.map((sql) => env.DB.prepare(sql)));
    return results.map(({ results: rows }) => rows.map((row) => String(textOf(row))).sort());
  };
  const textOf = (row: StoredRow): string => {
    const record = recordOf(row) ?? {};
    if (row.kind === 'parking_session') return JSON.stringify(record);
    return row.kind === 'subscription'
      ? [row.key, row.plate, record.revision ?? '-', record.authorized_from ?? '-'].join(' ')
      : `${record.last_outcome}${record.last_finished_at}`;
  };
  return {
    journaled: await read(
      [newest('parking_session', ''), newest('subscription', 'and n.plate = j.plate'), newest('import', '')],
      textOf,
    ),
    stored: await read([sessions, onPlates, freshness], ({ text }: { text: string }) => text),
  };
}
