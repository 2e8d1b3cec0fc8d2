import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS } from '../../../src/domain/instant.ts';

/** A line of a sessions import. */
export interface SessionLine {
  readonly session_id: string;
  readonly plate: string;
  readonly area_code: string;
  readonly starts_at: string;
  readonly ends_at: string | null;
  readonly cancelled_at?: string;
}

/** A line of a subscriptions import. */
export interface SubscriptionLine {
  readonly subscription_number: string;
  readonly type: string;
  readonly plates: readonly {
    readonly plate: string;
    readonly valid_from?: string;
    readonly valid_until?: string;
  }[];
  readonly approval: 'approved' | 'pending' | 'rejected';
  readonly authorized_from: string | null;
  readonly authorized_until: string | null;
  readonly areas: 'all' | readonly string[];
  readonly suspended_from?: string;
  readonly suspended_until?: string;
  readonly revoked_at?: string;
  readonly periods: readonly { readonly starts_at: string; readonly ends_at: string }[];
}

/** A session on its way to the source that it is imported for. */
export interface SourcedSession {
  readonly municipalityCode: string;
  readonly sourceCode: string;
  readonly line: SessionLine;
}

/** A subscription's line, with its municipality. */
export interface LocatedSubscription {
  readonly municipalityCode: string;
  readonly line: SubscriptionLine;
}

/** An instant in the form of a line. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString();
}

/** Times around the present, as texts: minutes and hours from the present minute, days from the start of the UTC day. */
export class TimesAround {
  readonly #minute: number;
  readonly #day: number;

  constructor(now: Instant) {
    this.#minute = Math.floor(now / MINUTE_MS) * MINUTE_MS;
    this.#day = Math.floor(now / DAY_MS) * DAY_MS;
  }

  inMinutes(minutes: number): string {
    return timeText(this.#minute + minutes * MINUTE_MS);
  }

  inHours(hours: number): string {
    return timeText(this.#minute + hours * HOUR_MS);
  }

  /** The same all day, so that lines with it need not be sent again. */
  inDays(days: number): string {
    return timeText(this.#day + days * DAY_MS);
  }
}
