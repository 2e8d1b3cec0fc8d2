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

/** What an operator should know about something, as a message has it: no plate, no token, no secret. */
const aboutSchema = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));
type About = z.infer<typeof aboutSchema>;

/** What a status says of an alert. */
interface Watched {
  readonly alert: string;
  /** False: it may also hold of what `held` lacks. The database or KV is unreachable, or a list was cut off. */
  readonly isKnown: boolean;
  /** All that it is known to hold of, by keys that stay the same from run to run. */
  readonly held: Readonly<Record<string, About>>;
}

/** 80 % of the 10 GB that the platform gives a database. */
const FILLING_BYTES = 8_000_000_000;

/** What a status says of each alert. */
export function watchedIn(status: Status, now: Instant): readonly Watched[] {
  const { late_sources, snapshots, database, retention, failing } = status;
  const size = database.size_bytes;
  const late = late_sources.map((source) => [
    `source_late ${source.municipality_code} ${source.source_code}`,
    source,
  ]);
  const isOld = snapshots.oldest_at !== null && areOld(Date.parse(snapshots.oldest_at), now);
  const single = (alert: string, isKnown: boolean, isHeld: boolean, about: About): Watched => ({
    ...{ alert, isKnown, held: isHeld ? { [alert]: about } : {} },
  });
  return [
    {
      alert: 'source_late',
      isKnown: size !== null && late.length < MAX_LATE_SOURCES,
      held: Object.fromEntries(late),
    },
    single('snapshots_old', snapshots.oldest_at !== null, isOld, snapshots),
    single('database_filling', size !== null, (size ?? 0) > FILLING_BYTES, { size_bytes: size }),
    single('retention_behind', retention.last_run_at !== null, retention.behind, {
      last_run_at: retention.last_run_at,
    }),
    {
      alert: 'setting_unusable',
      isKnown: true,
      held: Object.fromEntries(failing.map((name) => [`setting_unusable ${name}`, { name }])),
    },
  ];
}

const openAlert = z.strictObject({
  alert: z.string(),
  about: aboutSchema,
  begunAt: notedInstant,
  /** Null: the receiver has not taken that it began. */
  sentAt: notedInstant.nullable(),
  /** Null: it holds. Else the receiver has not taken yet that it ended. */
  endedAt: notedInstant.nullable(),
});
type OpenAlerts = Readonly<Record<string, z.infer<typeof openAlert>>>;

/** What the receiver knows of, or does not know yet. What cannot be read is nothing. */
const note = kvNote('alerts', z.record(z.string(), openAlert).catch({}));

/** The alerts behind what holds now. */
export function nextAlerts(known: OpenAlerts, watched: readonly Watched[], now: Instant): OpenAlerts {
  const undecided = new Set(watched.flatMap(({ alert, isKnown }) => (isKnown ? [] : [alert])));
  const next = Object.entries(known).map(([key, open]) => {
    // Told also where no answer came to the beginning: the receiver may have taken that.
    const isOver = open.endedAt === null && !undecided.has(open.alert);
    return [key, isOver ? { ...open, endedAt: now } : open] as const;
  });
  const held = watched.flatMap(({ alert, held }) =>
    Object.entries(held).map(([key, about]) => {
      const open = known[key];
      const isOpen = open !== undefined && open.endedAt === null;
      const begun = { alert, about, begunAt: now, sentAt: null, endedAt: null };
      return [key, isOpen ? { ...open, about } : begun] as const;
    }),
  );
  return Object.fromEntries([...next, ...held]);
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
  const alerts = nextAlerts(known, watchedIn(status, now), now);
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
