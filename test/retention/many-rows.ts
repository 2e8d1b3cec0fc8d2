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

/** Recorded at their start, where nothing else is said. */
export const sessions = (
  count: number,
  name: string,
  startsAt: number,
  endsAt: number | null,
  { cancelledAt = null, recordedAt = startsAt }: { cancelledAt?: number | null; recordedAt?: number } = {},
) =>
  env.DB.prepare(
    `insert into parking_sessions
       (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at, cancelled_at, recorded_at)
     ${counting} select 1, 'app1', ?2 || i, 1, 'X' || i, ?3, ?4, ?5, ?6 from n`,
  ).bind(count, name, startsAt, endsAt, cancelledAt, recordedAt);

type End = 'authorization' | 'revocation' | 'none';
export const subscriptions = (
  count: number,
  name: string,
  approval: string,
  at: number,
  end: End,
  changedAt = at,
) =>
  env.DB.prepare(
    `insert into subscriptions
       (municipality_id, subscription_number, type_id, approval, all_areas, authorized_until, revoked_at, changed_at)
     ${counting} select 1, ?2 || i, 1, ?3, 1,
       iif(?5 = 'authorization', ?4, null), iif(?5 = 'revocation', ?4, null), ?6 from n`,
  ).bind(count, name, approval, at, end, changedAt);

export const changesByDay = (count: number, at: number) =>
  env.DB.prepare(
    `insert or replace into changes_by_day (day, tenant_id, changes) ${counting} select ?2 - i, 1, 1 from n`,
  ).bind(count, Math.floor(at / DAY_MS));

/** Versions of a session, of a subscription and of a plate on one, so many of each, replaced one after the other. */
export const versions = (count: number, at: number) =>
  [
    `past_parking_sessions (id, municipality_id, area_id, plate, starts_at, recorded_at, replaced_at)
     ${counting} select (select min(id) from parking_sessions), 1, 1, 'X', 0, 0, ?2 + i from n`,
    `past_subscriptions (id, municipality_id, record, recorded_at, replaced_at)
     ${counting} select (select min(id) from subscriptions), 1, '{}', 0, ?2 + i from n`,
    `past_subscription_plates (id, subscription_id, municipality_id, plate, recorded_at, replaced_at)
     ${counting} select 1, (select min(id) from subscriptions), 1, 'X', 0, ?2 + i from n`,
  ].map((rows) => env.DB.prepare(`insert into ${rows}`).bind(count, at));

/** A version of each session and subscription that has none: it was replaced when its row was recorded. */
export const versionsOfAll = () =>
  env.DB.batch(
    [
      `past_parking_sessions (id, municipality_id, area_id, plate, starts_at, recorded_at, replaced_at)
       select id, municipality_id, area_id, plate, starts_at, 0, recorded_at from parking_sessions
       where id not in (select id from past_parking_sessions)`,
      `past_subscriptions (id, municipality_id, record, recorded_at, replaced_at)
       select id, municipality_id, '{}', 0, changed_at from subscriptions
       where id not in (select id from past_subscriptions)`,
    ].map((rows) => env.DB.prepare(`insert into ${rows}`)),
  );

/** Changes, configurations, and how imports stood, one after the other. */
export const recordings = (count: number, at: number) =>
  [
    `changes (municipality_id, recorded_at, request_id, batch) ${counting} select 1, ?2 + i, randomblob(16), 0 from n`,
    `configuration_versions (municipality_id, recorded_at, part, record) ${counting} select 1, ?2 + i, 0, '{}' from n`,
    `past_source_imports (source_id, municipality_id, last_finished_at, last_outcome, recorded_at, replaced_at)
     ${counting} select 1, 1, ?2 + i, 'failed', ?2 + i, ?2 + i + 1 from n`,
  ].map((rows) => env.DB.prepare(`insert into ${rows}`).bind(count, at));

/** Unsettled, and settled later. */
export const payments = (count: number, name: string, at: number) =>
  [
    `payments (municipality_id, payment_id, plate, plan_code, amount_cents, collected_at, sent_collected_at, recorded_at, result_code)
     ${counting} select 1, ?2 || i, 'X' || i, '101', 1, ?3, ?3, ?3, 'SUBSCRIPTION_NOT_FOUND' from n`,
    `payment_changes (municipality_id, payment_id, change, at, outcome, recorded_at)
     ${counting} select 1, ?2 || i, 'settled', ?3, 'refunded', ?3 from n`,
  ].map((rows) => env.DB.prepare(`insert into ${rows}`).bind(count, name, at));

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
