import { env } from 'cloudflare:workers';

/** Statements that store many rows at once, each kind under names of its own. */
const counting = 'with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)';

export const calls = (count: number, at: number, name: string) =>
  env.DB.prepare(
    `insert into calls (id, at, target, operation, http_status, outcome, duration_ms)
     ${counting}
     select unhex(printf('%012x7000', ?2) || hex(randomblob(8))), ?2, ?3 || i, 'plate_check', 200, 'OK', 1 from n`,
  ).bind(count, at, name);

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
  recordedAt = at,
) =>
  env.DB.prepare(
    `insert into subscriptions
       (municipality_id, subscription_number, type_id, approval, periods, authorized_until, revoked_at, recorded_at)
     ${counting} select 1, ?2 || i, 1, ?3, '[]',
       iif(?5 = 'authorization', ?4, null), iif(?5 = 'revocation', ?4, null), ?6 from n`,
  ).bind(count, name, approval, at, end, recordedAt);

/** Versions of a session, of a subscription and of a plate on one, so many of each, replaced one after the other. */
export const versions = (count: number, at: number) =>
  [
    `past_parking_sessions (id, municipality_id, area_id, plate, starts_at, recorded_at, replaced_at)
     ${counting} select (select min(id) from parking_sessions), 1, 1, 'X', 0, ?2 + i - 1, ?2 + i from n`,
    `past_subscriptions (id, municipality_id, type_id, approval, periods, recorded_at, replaced_at)
     ${counting} select (select min(id) from subscriptions), 1, 1, 'approved', '[]', ?2 + i - 1, ?2 + i from n`,
    `past_subscription_plates (id, subscription_id, municipality_id, plate, recorded_at, replaced_at)
     ${counting} select 1, (select min(id) from subscriptions), 1, 'X', ?2 + i - 1, ?2 + i from n`,
  ].map((rows) => env.DB.prepare(`insert into ${rows}`).bind(count, at));

/** Changes, configurations, and kept imports, one after the other. */
export const recordings = (count: number, at: number) =>
  [
    `changes (municipality_id, recorded_at, request_id) ${counting} select 1, ?2 + i, randomblob(16) from n`,
    `configuration_versions (municipality_id, recorded_at, record) ${counting} select 1, ?2 + i, '{}' from n`,
    `imports (source_id, municipality_id, recorded_at, outcome, is_kept) ${counting} select 1, 1, ?2 + i, 'failed', 1 from n`,
  ].map((rows) => env.DB.prepare(`insert into ${rows}`).bind(count, at));

export const payments = (count: number, name: string, at: number, endsAt: number | null = null) =>
  env.DB.prepare(
    `insert into payments (municipality_id, payment_id, plate, plan_code, amount_cents, collected_at, sent_collected_at, recorded_at, result_code, starts_at, ends_at)
     ${counting} select 1, ?2 || i, 'X' || i, '101', 1, ?3, ?3, ?3, 'PLAN_NOT_FOUND', iif(?4 is null, null, ?3), ?4 from n`,
  ).bind(count, name, at, endsAt);

export const digests = (count: number, name: string, at: number) =>
  [
    `erased_plates (municipality_id, digest, erased_at) ${counting} select 1, ?2 || i, ?3 from n`,
    `rejected_plates (municipality_id, digest, at) ${counting} select 1, ?2 || i, ?3 from n`,
  ].map((rows) => env.DB.prepare(`insert into ${rows}`).bind(count, name, at));
