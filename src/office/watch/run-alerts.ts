import * as z from 'zod';
import { sha256Hex } from '../../base/crypto/digest.ts';
import { withTimeout } from '../../base/platform/deadline.ts';
import { areOld, KV_CACHED_SECONDS, notedInstant } from '../../base/platform/kv-notes.ts';
import { errorMessage, logEvent } from '../../base/platform/log-event.ts';
import { DAY_MS, type Instant, MINUTE_MS, SECOND_MS } from '../../domain/instant.ts';
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

/** Something that an operator should know about, for as long as it holds. */
interface Condition {
  /** Identifies the condition from run to run. */
  readonly key: string;
  readonly alert: (typeof ALERTS)[number];
  /**
   * An instant in the data that stays the same from the beginning of the trouble to its end, and is another one in the next.
   * Null where the data has none.
   */
  readonly begunAt: string | null;
  /** No plate, no token, no secret. */
  readonly about: Readonly<Record<string, string | number | null>>;
}

/** 80 % of the 10 GB that the platform gives a database. */
const FILLING_BYTES = 8_000_000_000;

/**
 * The conditions that hold now, by the status. An unknown value, such as the size of the database while it is unreachable,
 * raises none.
 */
export function conditionsOf(status: Status, now: Instant): Condition[] {
  const { late_sources: late, snapshots, database, retention, failing } = status;
  const { size_bytes: bytes } = database;
  const oldest = snapshots.oldest_at;
  const old: Condition[] =
    oldest !== null && areOld(Date.parse(oldest), now)
      ? [{ key: 'snapshots_old', alert: 'snapshots_old', begunAt: oldest, about: { oldest_at: oldest } }]
      : [];
  return [
    ...late.map(
      (source): Condition => ({
        key: `source_late ${source.municipality_code} ${source.source_code}`,
        alert: 'source_late',
        begunAt: source.last_successful_at,
        about: source,
      }),
    ),
    ...old,
    ...(bytes !== null && bytes > FILLING_BYTES
      ? [
          {
            key: 'database_filling',
            alert: 'database_filling',
            begunAt: null,
            about: { size_bytes: bytes },
          } as const,
        ]
      : []),
    ...(retention.behind
      ? [
          {
            key: 'retention_behind',
            alert: 'retention_behind',
            // Later runs may be behind too: the alert keeps the instant of the first.
            begunAt: retention.last_run_at,
            about: { last_run_at: retention.last_run_at },
          } as const,
        ]
      : []),
    ...failing.map(
      (name): Condition => ({
        key: `setting_unusable ${name}`,
        alert: 'setting_unusable',
        begunAt: null,
        about: { name },
      }),
    ),
  ];
}

/** The alerts that the status cannot show to be over: the database or KV is unreachable, or its list was cut off. */
export function undecidedAlerts(status: Status): ReadonlySet<Condition['alert']> {
  const { database, snapshots, retention } = status;
  const isAway = database.size_bytes === null;
  const isCut = status.late_sources.length >= MAX_LATE_SOURCES;
  return new Set([
    ...(isAway || isCut ? (['source_late'] as const) : []),
    ...(isAway ? (['database_filling'] as const) : []),
    ...(snapshots.oldest_at === null ? (['snapshots_old'] as const) : []),
    ...(retention.last_run_at === null ? (['retention_behind'] as const) : []),
  ]);
}

const PHASES = ['began', 'continues', 'ended'] as const;
type Phase = (typeof PHASES)[number];

/** An alert in its latest phase, and whether the receiver has that phase. */
interface OpenAlert {
  readonly alert: Condition['alert'];
  readonly about: Condition['about'];
  /** The condition's own, when the alert began. */
  readonly begunAt: Condition['begunAt'];
  /** How many phases of this condition there have been, over all of its troubles. */
  readonly number: number;
  readonly phase: Phase;
  /** When this phase was noticed. */
  readonly since: Instant;
  /** Whether it was sent and not accepted: the receiver may have it, and its answer was lost. */
  readonly isTried: boolean;
  /** Null: the receiver has not accepted it yet. */
  readonly sentAt: Instant | null;
}

/** By the condition's key. */
export type OpenAlerts = ReadonlyMap<string, OpenAlert>;

/** An alert that still holds is repeated this often. */
const AGAIN_MS = DAY_MS;
/** So long after its end an alert is forgotten, unless its number alone tells one trouble from the next. */
const KEPT_MS = 30 * DAY_MS;

/**
 * What identifies an alert's message. Two runs that read the same state make the same message, whenever they run: KV may
 * answer a run with the state from before the last one.
 */
export const messageOf = (key: string, { begunAt, number, phase }: OpenAlert): string =>
  JSON.stringify([key, begunAt, number, phase]);

/**
 * The alerts to send now: those that begin, those that still hold after a day, and those that end.
 *
 * @param undecided alerts whose condition is unknown now: they do not end
 */
export function openAlerts(
  known: OpenAlerts,
  conditions: readonly Condition[],
  now: Instant,
  undecided: ReadonlySet<Condition['alert']> = new Set(),
): OpenAlerts {
  const next = new Map<string, OpenAlert>();
  for (const condition of conditions) {
    next.set(condition.key, continueAlert(known.get(condition.key), condition, now));
  }
  for (const [key, open] of known) {
    if (next.has(key) || isForgotten(open, now)) continue;
    const stays = open.phase === 'ended' || undecided.has(open.alert);
    next.set(key, stays ? open : endAlert(open, now));
  }
  return next;
}

function continueAlert(
  known: OpenAlert | undefined,
  { alert, about, begunAt }: Condition,
  now: Instant,
): OpenAlert {
  if (known === undefined || known.phase === 'ended') {
    const number = (known?.number ?? 0) + 1;
    return { alert, about, begunAt, number, phase: 'began', since: now, isTried: false, sentAt: null };
  }
  return known.sentAt === null || now - known.sentAt < AGAIN_MS
    ? { ...known, about }
    : nextPhase({ ...known, about }, 'continues', now);
}

function endAlert(open: OpenAlert, now: Instant): OpenAlert {
  const ended = nextPhase(open, 'ended', now);
  // The receiver never heard that it began, so it need not hear that it ended.
  const isUnheard = open.phase === 'began' && open.sentAt === null && !open.isTried;
  return isUnheard ? { ...ended, sentAt: now } : ended;
}

const nextPhase = (open: OpenAlert, phase: Phase, now: Instant): OpenAlert => ({
  ...open,
  ...{ phase, number: open.number + 1, since: now, isTried: false, sentAt: null },
});

const isForgotten = ({ phase, begunAt, sentAt }: OpenAlert, now: Instant): boolean =>
  phase === 'ended' && begunAt !== null && sentAt !== null && now - sentAt >= KEPT_MS;

/**
 * What to send the receiver now, by key: first the alerts that were never sent, then those that it did not accept. The latter
 * take turns by the minute, so that the ones that it always rejects hold up no others.
 */
export function listUnsent(
  alerts: OpenAlerts,
  max: number,
  now: Instant,
): readonly (readonly [string, OpenAlert])[] {
  const unsent = [...alerts].filter(([, { sentAt }]) => sentAt === null);
  const tried = unsent.filter(([, { isTried }]) => isTried);
  const next = (Math.floor(now / MINUTE_MS) * max) % Math.max(tried.length, 1);
  return [
    ...unsent.filter(([, { isTried }]) => !isTried),
    ...tried.slice(next),
    ...tried.slice(0, next),
  ].slice(0, max);
}

/** Notes what the receiver has accepted. */
export const withSent = (alerts: OpenAlerts, keys: ReadonlySet<string>, now: Instant): OpenAlerts =>
  changed(alerts, keys, { sentAt: now });

/** Notes what was sent. */
export const withTried = (alerts: OpenAlerts, keys: ReadonlySet<string>): OpenAlerts =>
  changed(alerts, keys, { isTried: true });

const changed = (alerts: OpenAlerts, keys: ReadonlySet<string>, to: Partial<OpenAlert>): OpenAlerts =>
  new Map([...alerts].map(([key, open]) => [key, keys.has(key) ? { ...open, ...to } : open]));

const KEY = 'alerts';

const packed = z.strictObject({
  version: z.literal(1),
  open: z.record(
    z.string(),
    z.strictObject({
      alert: z.enum(ALERTS),
      about: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
      begunAt: z.string().nullable(),
      number: z.int().min(1),
      phase: z.enum(PHASES),
      since: notedInstant,
      isTried: z.boolean(),
      sentAt: notedInstant.nullable(),
    }),
  ),
});

/**
 * The alerts, as text; null if there were never any. KV may answer with a value from a minute ago, or longer.
 */
const readAlertText = (kv: KVNamespace): Promise<string | null> =>
  kv.get(KEY, { type: 'text', cacheTtl: KV_CACHED_SECONDS });

/** Alerts that cannot be read count as none, and are sent again. */
function unpackAlerts(text: string | null): OpenAlerts {
  try {
    return new Map(text === null ? [] : Object.entries(packed.parse(JSON.parse(text)).open));
  } catch {
    return new Map();
  }
}

const packAlerts = (alerts: OpenAlerts): string =>
  JSON.stringify({ version: 1, open: Object.fromEntries(alerts) });

/** In one minute; the next one sends the rest. */
const MAX_MESSAGES = 12;
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
  const [status, text] = await withTimeout(
    STATUS_MS,
    Promise.all([findStatus(env, now), readAlertText(env.SNAPSHOTS)]),
  );
  const alerts = openAlerts(unpackAlerts(text), conditionsOf(status, now), now, undecidedAlerts(status));
  const messages = listUnsent(alerts, MAX_MESSAGES, now);
  const outcomes = await Promise.allSettled(messages.map(([key, open]) => send(receiver, key, open, now)));
  const taken = new Set<string>();
  for (const [index, outcome] of outcomes.entries()) {
    const [key, { alert }] = messages[index] ?? ['', { alert: '' }];
    if (outcome.status === 'fulfilled') taken.add(key);
    else logEvent('warn', 'alert_not_taken', { alert, message: errorMessage(outcome.reason) });
  }
  const tried = withTried(alerts, new Set(messages.map(([key]) => key)));
  const packed = packAlerts(withSent(tried, taken, now));
  // KV takes few writes of a key, and most minutes change nothing.
  if (packed !== (text ?? packAlerts(new Map()))) await env.SNAPSHOTS.put(KEY, packed);
}

async function send(receiver: Receiver, key: string, open: OpenAlert, now: Instant): Promise<void> {
  const { alert, about, phase, since } = open;
  const timestamp = new Date(since).toISOString();
  const id = `msg_${(await sha256Hex(messageOf(key, open))).slice(0, ID_DIGITS)}`;
  const body = JSON.stringify({ type: `${alert}.${phase}`, timestamp, data: about });
  await sendWebhook(receiver, id, now, body);
}
