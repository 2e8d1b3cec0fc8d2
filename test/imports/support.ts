import { env } from 'cloudflare:workers';
import type { Answer, Service } from '../support/service.ts';

export const SESSIONS = '/api/v2/imports/sessions';
/** For a credential that is bound to no source, and may import subscriptions too. */
export const APP1_SESSIONS = `${SESSIONS}?source_code=app1`;
export const SUBSCRIPTIONS = '/api/v2/imports/subscriptions';

/** A session that is parked for an hour, with one deviation a test. */
export const aSessionLine = (deviation: Record<string, unknown> = {}): Record<string, unknown> => ({
  session_id: 's-1',
  plate: 'AB123CD',
  area_code: 'S1',
  starts_at: '2026-03-10T12:00:00+01:00',
  ends_at: '2026-03-10T13:00:00+01:00',
  ...deviation,
});

/** A subscription with a plate, a period and an area, with one deviation a test. */
export const aSubscriptionLine = (deviation: Record<string, unknown> = {}): Record<string, unknown> => ({
  subscription_number: 'R-1',
  type: 'RES',
  plates: [{ plate: 'AB123CD' }],
  approval: 'approved',
  areas: ['S1'],
  periods: [{ starts_at: '2026-03-01T00:00:00+01:00', ends_at: '2026-04-01T00:00:00+02:00' }],
  ...deviation,
});

/** A file: objects become lines of JSON, texts stay as they are. */
export const file = (lines: readonly unknown[]): string =>
  lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');

/** Sends a file to an import. The content type is right unless a header says otherwise. */
export function send(
  service: Service,
  path: string,
  body: string | Uint8Array | ReadableStream<Uint8Array>,
  headers: Record<string, string>,
): Promise<Answer> {
  return service.call(path, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/x-ndjson', ...headers },
  });
}

export interface Counts {
  readonly received: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly rejected: number;
  readonly erased: number;
}

interface LineError {
  readonly line: number;
  readonly code: string;
  readonly message: string;
}

/** The counts of a 200, which every import that was read ends with. */
export function countsOf(answer: Answer): Counts {
  if (answer.status !== 200) {
    throw new Error(`not imported: ${JSON.stringify(answer.body)}`);
  }
  const { received, created, updated, unchanged, rejected, erased } = answer.body as unknown as Counts;
  return { received, created, updated, unchanged, rejected, erased };
}

export const counts = (changed: Partial<Counts>): Counts => ({
  received: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  rejected: 0,
  erased: 0,
  ...changed,
});

export const errorsOf = ({ body }: Answer): readonly LineError[] =>
  (body as { errors?: LineError[] }).errors ?? [];

/** Every session that is stored, by source and id, its row's own number left out. */
export async function storedSessions(): Promise<Record<string, unknown>[]> {
  const { results } = await env.DB.prepare(
    `select source_code, session_id, area_id, plate, starts_at, ends_at, cancelled_at, revision
     from parking_sessions order by municipality_id, source_code, session_id`,
  ).all();
  return results;
}

/** Every subscription that is stored, by number, with its lists; rows' own numbers left out. */
export async function storedSubscriptions(): Promise<Record<string, unknown>[]> {
  const { results } = await env.DB.prepare(
    `select subscription_number, type_id, approval, authorized_from, authorized_until,
       suspended_from, suspended_until, revoked_at, revision, periods, areas,
       (select json_group_array(json_array(municipality_id, plate, valid_from, valid_until)) from
         (select * from subscription_plates where subscription_id = s.id
          order by plate, valid_from, valid_until)) as plates
     from subscriptions as s order by municipality_id, subscription_number`,
  ).all();
  return results.map((row) => ({
    ...row,
    plates: JSON.parse(String(row.plates)),
    periods: JSON.parse(String(row.periods)),
    areas: JSON.parse(String(row.areas)),
  }));
}
