import * as z from 'zod';
import { sha256Hex } from '../../base/crypto/digest.ts';
import { withTimeout } from '../../base/platform/deadline.ts';
import { areOld, kvNote, notedInstant } from '../../base/platform/kv-notes.ts';
import { errorMessage, logEvent } from '../../base/platform/log-event.ts';
import { DAY_MS, type Instant, instant, SECOND_MS } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import type { Status } from './contract.ts';
import { findStatus } from './find-status.ts';
import { MAX_LATE_SOURCES } from './status-table.ts';
import { type Receiver, receiverOf, sendWebhook } from './webhook.ts';

const ALERTS = [
  'source_late',
  'snapshots_old',
  'database_filling',
  'retention_behind',
  'setting_unusable',
] as const;
type AlertName = (typeof ALERTS)[number];

/** Something that an operator should know about, as a message has it: no plate, no token, no secret. */
const condition = z.strictObject({
  alert: z.enum(ALERTS),
  about: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
});
type Condition = z.infer<typeof condition>;

/** 80 % of the 10 GB that the platform gives a database. */
const FILLING_BYTES = 8_000_000_000;

/** The conditions that hold now, by keys that stay the same from run to run. An unknown value raises none. */
export function conditionsOf(status: Status, now: Instant): Map<string, Condition> {
  const { late_sources, snapshots, database, retention, failing } = status;
  const found = new Map<string, Condition>();
  for (const source of late_sources) {
    const key = `source_late ${source.municipality_code} ${source.source_code}`;
    found.set(key, { alert: 'source_late', about: source });
  }
  for (const name of failing) {
    found.set(`setting_unusable ${name}`, { alert: 'setting_unusable', about: { name } });
  }
  const hold = (alert: AlertName, about: Condition['about']) => found.set(alert, { alert, about });
  if (snapshots.oldest_at !== null && areOld(Date.parse(snapshots.oldest_at), now)) {
    hold('snapshots_old', snapshots);
  }
  if ((database.size_bytes ?? 0) > FILLING_BYTES) {
    hold('database_filling', { size_bytes: database.size_bytes });
  }
  if (retention.behind) hold('retention_behind', { last_run_at: retention.last_run_at });
  return found;
}

/** The alerts that the status cannot show to be over: the database or KV is unreachable, or its list was cut off. */
export function undecidedAlerts({
  database,
  late_sources,
  snapshots,
  retention,
}: Status): ReadonlySet<AlertName> {
  const isAway = database.size_bytes === null;
  return new Set<AlertName>([
    ...(isAway || late_sources.length >= MAX_LATE_SOURCES ? (['source_late'] as const) : []),
    ...(isAway ? (['database_filling'] as const) : []),
    ...(snapshots.oldest_at === null ? (['snapshots_old'] as const) : []),
    ...(retention.last_run_at === null ? (['retention_behind'] as const) : []),
  ]);
}

const openAlert = condition.extend({
  begunAt: notedInstant,
  /** Null: the receiver has not taken that it began. */
  sentAt: notedInstant.nullable(),
  /** Null: it holds. Else the receiver has not taken yet that it ended. */
  endedAt: notedInstant.nullable(),
});
type OpenAlert = z.infer<typeof openAlert>;
type OpenAlerts = Readonly<Record<string, OpenAlert>>;

/** What the receiver knows of, or does not know yet. What cannot be read is nothing. */
const note = kvNote('alerts', z.record(z.string(), openAlert).catch({}));

/** The alerts behind what holds now. */
export function nextAlerts(
  known: OpenAlerts,
  conditions: ReadonlyMap<string, Condition>,
  undecided: ReadonlySet<AlertName>,
  now: Instant,
): OpenAlerts {
  const next: Record<string, OpenAlert> = {};
  for (const [key, open] of Object.entries(known)) {
    // Told also where no answer came to the beginning: the receiver may have taken that.
    const isOver = open.endedAt === null && !undecided.has(open.alert);
    next[key] = isOver ? { ...open, endedAt: now } : open;
  }
  for (const [key, holding] of conditions) {
    const open = known[key];
    next[key] =
      open === undefined || open.endedAt !== null
        ? { ...holding, begunAt: now, sentAt: null, endedAt: null }
        : { ...open, ...holding };
  }
  return next;
}

/**
 * What the receiver has to hear: that an alert began, that it still holds after each day, and that it ended. Each since when that is
 * so: the same at every try.
 */
export const messagesOf = (alerts: OpenAlerts, now: Instant) =>
  Object.entries(alerts).flatMap(([key, { alert, about, begunAt, sentAt, endedAt }]) => {
    const message = (phase: string, at: Instant) => [{ key, type: `${alert}.${phase}`, at, about }];
    if (endedAt !== null) return message('ended', endedAt);
    if (sentAt === null) return message('began', begunAt);
    const again = instant(sentAt + DAY_MS);
    return again <= now ? message('continues', again) : [];
  });

const STATUS_MS = 10 * SECOND_MS;
const ID_DIGITS = 32;

/**
 * Sends alerts that begin and end to the receiver, if one is set. It cannot harm the minute's run: it ends
 * within seconds and never throws.
 */
export async function runAlerts(env: Env, now: Instant): Promise<void> {
  const receiver = receiverOf(env.ALERT_URL, env.ALERT_SECRET);
  if (receiver === null) return;
  try {
    await sendAlerts(env, receiver, now);
  } catch (error) {
    logEvent('warn', 'alerts_failed', { message: errorMessage(error) });
  }
}

async function sendAlerts(env: Env, receiver: Receiver, now: Instant): Promise<void> {
  const [status, noted] = await withTimeout(
    STATUS_MS,
    Promise.all([findStatus(env, now), note.read(env.SNAPSHOTS)]),
  );
  const known = noted ?? {};
  const alerts = nextAlerts(known, conditionsOf(status, now), undecidedAlerts(status), now);
  const messages = messagesOf(alerts, now);
  const areTaken = await Promise.all(messages.map((message) => isTaken(receiver, message, now)));
  const taken = new Set(messages.filter((_, index) => areTaken[index]).map(({ key }) => key));
  const next = Object.fromEntries(
    Object.entries(alerts).flatMap(([key, open]) => {
      if (!taken.has(key)) return [[key, open]];
      return open.endedAt === null ? [[key, { ...open, sentAt: now }]] : [];
    }),
  );
  // KV takes few writes of a key, and most minutes change nothing.
  if (JSON.stringify(next) !== JSON.stringify(known)) await note.write(env.SNAPSHOTS, next);
}

async function isTaken(
  receiver: Receiver,
  { key, type, at, about }: ReturnType<typeof messagesOf>[number],
  now: Instant,
): Promise<boolean> {
  const timestamp = new Date(at).toISOString();
  const id = sha256Hex(JSON.stringify([key, type, timestamp])).slice(0, ID_DIGITS);
  try {
    await sendWebhook(receiver, `msg_${id}`, now, JSON.stringify({ type, timestamp, data: about }));
    return true;
  } catch (error) {
    logEvent('warn', 'alert_not_taken', { alert: type, message: errorMessage(error) });
    return false;
  }
}
