import { env } from 'cloudflare:workers';
import { DAY_MS } from '../../src/domain/instant.ts';

/** Statements that store many rows at once, each kind under names of its own. */
const counting = 'with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)';

export const calls = (count: number, at: number, name: string, textBytes = 0) =>
  env.DB.prepare(
    `insert into calls
       (id, at, target, operation, http_status, outcome, duration_ms, request, response)
     ${counting}
     select unhex(printf('%012x7000', ?2) || hex(randomblob(8))), ?2, ?3 || i, 'subscription_options', 200, 'OK', 1, t.text, t.text
     from n cross join (select iif(?4 = 0, null, hex(zeroblob(?4 / 2))) as text) as t`,
  ).bind(count, at, name, textBytes);

export const sessions = (
  count: number,
  name: string,
  startsAt: number,
  endsAt: number | null,
  cancelled = false,
) =>
  env.DB.prepare(
    `insert into parking_sessions
       (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at, cancelled_at)
     ${counting} select 1, 'app1', ?2 || i, 1, 'X' || i, ?3, ?4, iif(?5, ?3, null) from n`,
  ).bind(count, name, startsAt, endsAt, cancelled ? 1 : 0);

type End = 'authorization' | 'revocation' | 'none';
export const subscriptions = (count: number, name: string, approval: string, at: number, end: End) =>
  env.DB.prepare(
    `insert into subscriptions
       (municipality_id, subscription_number, type_id, approval, all_areas, authorized_until, revoked_at, changed_at)
     ${counting} select 1, ?2 || i, 1, ?3, 1,
       iif(?5 = 'authorization', ?4, null), iif(?5 = 'revocation', ?4, null), ?4 from n`,
  ).bind(count, name, approval, at, end);

export const changesByDay = (count: number, at: number) =>
  env.DB.prepare(
    `insert or replace into changes_by_day (day, tenant_id, changes) ${counting} select ?2 - i, 1, 1 from n`,
  ).bind(count, Math.floor(at / DAY_MS));

/** Twice the same keys: the second ones replace the first. */
export const replaced = (count: number, name: string, at: number) =>
  env.DB.prepare(
    `insert into journal (municipality_id, kind, recorded_at, request_id, source_code, key, plate, record)
     ${counting} select 1, 'parking_session', ?3, 'r', 'app1', ?2 || (i % (?1 / 2)), 'X', '{}' from n`,
  ).bind(count, name, at);

/** What the journal has of what has gone before it. */
export const gone = (count: number, name: string, at: number) =>
  env.DB.prepare(
    `insert into journal (municipality_id, kind, recorded_at, source_code, key, plate, record, awaits)
     ${counting} select 1, 'parking_session', ?3, 'app1', ?2 || i, 'X', '{}', ?3 from n`,
  ).bind(count, name, at);

/** What the journal has of everything that is stored and has nothing in it yet. */
export const history = () =>
  env.DB.batch(
    [
      `select municipality_id, 'parking_session', starts_at, source_code, session_id, plate, '{}' from parking_sessions as s
       where not exists (select 1 from journal where municipality_id = 1 and kind = 'parking_session'
         and source_code = s.source_code and key = s.session_id)`,
      `select municipality_id, 'subscription', changed_at, null, subscription_number, 'X', '{}' from subscriptions as s
       where not exists (select 1 from journal where municipality_id = 1 and kind = 'subscription'
         and source_code is null and key = s.subscription_number)`,
    ].map((rows) =>
      env.DB.prepare(
        `insert into journal (municipality_id, kind, recorded_at, source_code, key, plate, record) ${rows}`,
      ),
    ),
  );

export const erased = (count: number, name: string, at: number) =>
  env.DB.prepare(
    `insert into erased_plates (municipality_id, kind, source_code, key, digest, guards_until)
     ${counting} select 1, iif(i % 2, 'parking_session', 'subscription'), '', ?2 || i, '', ?3 from n`,
  ).bind(count, name, at);

export const erasures = (count: number, name: string, at: number) =>
  env.DB.prepare(
    `insert into erasures (digest, pseudonym, calls_up_to, calls_after_id, at)
     ${counting} select ?2 || i, '*', -1, '', ?3 from n`,
  ).bind(count, name, at);
