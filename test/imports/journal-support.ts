import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, expect, vi } from 'vitest';
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
  area_id: 1,
  left_area_id: null,
};

/** The journal's rows of some kinds in their order, without what is random. */
export async function journalOf(...kinds: readonly string[]): Promise<JournalRow[]> {
  const { results } = await env.DB.prepare(
    `select kind, recorded_at, request_id, source_code, key, plate, area_id, left_area_id, record
     from journal where kind in (select value from json_each(?)) order by sequence`,
  )
    .bind(JSON.stringify(kinds))
    .all<Omit<JournalRow, 'record'> & { record: string | null }>();
  return results.map((row) => ({
    ...row,
    record: row.record === null ? null : (JSON.parse(row.record) as Record<string, unknown>),
  }));
}

/**
 * What the journal says stands now beside what is stored, as texts in one order: equal while both are in step. The
 * newest row of each session, and of each plate of a subscription, is how it stands.
 */
export async function standing(): Promise<{ readonly journaled: unknown; readonly stored: unknown }> {
  const newest = (kind: string, key: string) => `
    select record from journal as j where kind = '${kind}' and record is not null and sequence =
      (select max(sequence) from journal as n where n.kind = j.kind and n.municipality_id = j.municipality_id
        and n.source_code is j.source_code and n.key = j.key ${key}) order by 1`;
  const sessions = `
    select json_object('session_id', s.session_id, 'plate', s.plate, 'area_code', a.code, 'starts_at', s.starts_at,
      'ends_at', s.ends_at, 'cancelled_at', s.cancelled_at, 'revision', s.revision) as record
    from parking_sessions as s join areas as a on a.id = s.area_id order by 1`;
  const onPlates = `
    select distinct s.subscription_number || ' ' || p.plate || ' ' || coalesce(s.revision, '-') || ' '
      || coalesce(s.authorized_from, '-') as record
    from subscriptions as s join subscription_plates as p on p.subscription_id = s.id order by 1`;
  const plates = `
    select key || ' ' || plate || ' ' || coalesce(record ->> 'revision', '-') || ' '
      || coalesce(record ->> 'authorized_from', '-') as record
    from journal as j where kind = 'subscription' and record is not null and sequence =
      (select max(sequence) from journal as n where n.kind = 'subscription' and n.municipality_id = j.municipality_id
        and n.key = j.key and n.plate = j.plate) order by 1`;
  const imports = newest('import', '')
    .replace(
      'select record',
      `select (record ->> 'last_outcome') || (record ->> 'last_finished_at') as record`,
    )
    .replace('n.key = j.key', 'true');
  const freshness = 'select last_outcome || last_finished_at as record from source_imports order by 1';
  const read = async (statements: readonly string[]) => {
    const results = await env.DB.batch<{ record: string }>(statements.map((sql) => env.DB.prepare(sql)));
    return results.map(({ results: rows }) => rows.map(({ record }) => record));
  };
  return {
    journaled: await read([newest('parking_session', ''), plates, imports]),
    stored: await read([sessions, onPlates, freshness]),
  };
}
