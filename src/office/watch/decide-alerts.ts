import { DAY_MS, type Instant } from '../../domain/instant.ts';
import type { Condition } from './conditions.ts';

export const PHASES = ['began', 'continues', 'ended'] as const;
type Phase = (typeof PHASES)[number];

/** An alert in its latest phase, and whether the receiver has that phase. */
export interface OpenAlert {
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

/** What to send the receiver now, by key. */
export const listUnsent = (alerts: OpenAlerts, max: number): readonly (readonly [string, OpenAlert])[] =>
  [...alerts].filter(([, { sentAt }]) => sentAt === null).slice(0, max);

/** Notes what the receiver has accepted. */
export const withSent = (alerts: OpenAlerts, keys: ReadonlySet<string>, now: Instant): OpenAlerts =>
  changed(alerts, keys, { sentAt: now });

/** Notes what was sent. */
export const withTried = (alerts: OpenAlerts, keys: ReadonlySet<string>): OpenAlerts =>
  changed(alerts, keys, { isTried: true });

const changed = (alerts: OpenAlerts, keys: ReadonlySet<string>, to: Partial<OpenAlert>): OpenAlerts =>
  new Map([...alerts].map(([key, open]) => [key, keys.has(key) ? { ...open, ...to } : open]));
