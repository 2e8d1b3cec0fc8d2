import { DAY_MS, type Instant } from '../domain/instant.ts';
import type { Condition } from './conditions.ts';

export const PHASES = ['began', 'continues', 'ended'] as const;
type Phase = (typeof PHASES)[number];

/** An alert in its latest phase, and whether the receiver has that phase. */
export interface OpenAlert {
  readonly alert: Condition['alert'];
  readonly about: Condition['about'];
  /** When this phase began. Phase and instant make up the message's id, so that one sent again has the same id. */
  readonly phase: Phase;
  readonly since: Instant;
  /** Null: the receiver has not accepted it yet. */
  readonly sentAt: Instant | null;
}

/** By the condition's key. */
export type OpenAlerts = ReadonlyMap<string, OpenAlert>;

/** An alert that still holds is repeated this often. */
const AGAIN_MS = DAY_MS;

/**
 * The alerts that are open now: what has begun, what still holds after a day, and what has ended.
 *
 * @param undecided alerts that end only once it is known again whether they hold
 */
export function openAlerts(
  known: OpenAlerts,
  conditions: readonly Condition[],
  now: Instant,
  undecided: ReadonlySet<Condition['alert']> = new Set(),
): OpenAlerts {
  const next = new Map<string, OpenAlert>();
  for (const { key, alert, about } of conditions) {
    next.set(
      key,
      continueAlert(known.get(key), { alert, about, phase: 'began', since: now, sentAt: null }, now),
    );
  }
  for (const [key, open] of known) {
    if (next.has(key)) continue;
    if (undecided.has(open.alert) && open.phase !== 'ended') {
      next.set(key, open);
      continue;
    }
    // The receiver never heard that it began, so it need not hear that it ended.
    if (open.phase === 'began' && open.sentAt === null) continue;
    next.set(key, open.phase === 'ended' ? open : { ...open, phase: 'ended', since: now, sentAt: null });
  }
  return next;
}

function continueAlert(known: OpenAlert | undefined, begun: OpenAlert, now: Instant): OpenAlert {
  if (known === undefined || known.phase === 'ended') return begun;
  if (known.sentAt === null || now - known.sentAt < AGAIN_MS) return { ...known, about: begun.about };
  return { ...begun, phase: 'continues' };
}

/** What to send the receiver now, by key. */
export const listUnsent = (alerts: OpenAlerts, max: number): readonly (readonly [string, OpenAlert])[] =>
  [...alerts].filter(([, { sentAt }]) => sentAt === null).slice(0, max);

/** Notes what the receiver has accepted. An alert whose end it has accepted is forgotten. */
export function withSent(alerts: OpenAlerts, keys: ReadonlySet<string>, now: Instant): OpenAlerts {
  return new Map(
    [...alerts].flatMap(([key, open]) => {
      if (!keys.has(key)) return [[key, open] as const];
      return open.phase === 'ended' ? [] : [[key, { ...open, sentAt: now }] as const];
    }),
  );
}
