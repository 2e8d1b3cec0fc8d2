import { readFileSync } from 'node:fs';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/domain/instant.ts';

/** Where most plates of the seed are. */
export const TORINO = 'L219';
/** The city of the officer's round. All of its sources report on time. */
export const TRENTO = 'L378';

/** A line of an import, with the city and the source that it is sent for. */
export interface SessionLine {
  readonly city: string;
  readonly source: string;
  readonly line: {
    readonly session_id: string;
    readonly plate: string;
    readonly area_code: string;
    readonly starts_at: string;
    readonly ends_at: string | null;
  };
}
export interface SubscriptionLine {
  readonly city: string;
  readonly line: { readonly subscription_number: string; readonly plates: readonly { plate: string }[] };
}
export interface Lines {
  readonly sessions: readonly SessionLine[];
  readonly subscriptions: readonly SubscriptionLine[];
}

/** What the seed says of a plate's sessions and subscriptions: the fields that are not the usual ones. */
interface Held {
  readonly sessions?: readonly (Omit<SessionLine['line'], 'session_id' | 'plate'> & {
    readonly source: string;
    /** As it was sent, if that was another one. */
    readonly plate?: string;
  })[];
  readonly subscriptions?: readonly Partial<SubscriptionLine['line']>[];
}

/** A plate of the seed, for one thing that the service can say. */
interface SeedPlate extends Held {
  readonly plate: string;
  readonly story: string;
  /** By the question, such as `entry BOLZANO`, the code that answers it. */
  readonly shows?: Readonly<Record<string, string>>;
  /** Its municipality, if that is not Torino. */
  readonly city?: string;
  /** An officer or a gate asked when only `before` was known. The verdict then, and the one now. */
  readonly objection?: { readonly event: 'verify' | 'exit'; readonly then: boolean; readonly now: boolean };
  readonly before?: Held;
}

/** With I, O, Q or U, which Italian plates do not use, so that no ordinary session has one of them. */
const file = readFileSync(new URL('../data/plates.ndjson', import.meta.url), 'utf8');

/** A subscription granted for more than a year, and paid from ten days ago to twenty days ahead. */
const USUAL = {
  type: 'RES',
  approval: 'approved',
  authorized_from: '-200d',
  authorized_until: '+200d',
  areas: 'all',
  periods: [{ starts_at: '-10d', ends_at: '+20d' }],
};

/** The plates of the seed. Their times are relative: see {@link linesAt}. */
export const PLATES: readonly SeedPlate[] = file
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

/** The plates that officers' objections are about, and all others. */
export const OBJECTIONS = PLATES.flatMap((plate) =>
  plate.objection === undefined ? [] : { ...plate, objection: plate.objection },
);
export const SHOWN = PLATES.filter(({ objection }) => objection === undefined);

/** The lines of plates at an instant. Those of a later one have the same keys. */
export function linesAt(now: number, plates: readonly SeedPlate[]): Lines {
  const lines: Lines = {
    sessions: plates.flatMap(({ plate, city = TORINO, sessions = [] }) =>
      sessions.map(({ source, ...line }, index) => ({
        city,
        source,
        line: { session_id: `${plate}-${index + 1}`, plate, ...line },
      })),
    ),
    subscriptions: plates.flatMap(({ plate, city = TORINO, subscriptions = [] }) =>
      subscriptions.map((own, index) => ({
        city,
        line: { subscription_number: `SUB-${plate}-${index + 1}`, plates: [{ plate }], ...USUAL, ...own },
      })),
    ),
  };
  return JSON.parse(JSON.stringify(lines), (_, value) => timeAt(now, value) ?? value);
}

const UNITS = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

/**
 * `-90m` and `+2h` are from the present minute; `-10d` is from the start of the UTC day, so that a line with it stays the
 * same all day. Undefined for any other value.
 */
function timeAt(now: number, value: unknown): string | undefined {
  const [, count, unit] = /^([+-]\d+)([mhd])$/.exec(String(value)) ?? [];
  if (unit !== 'm' && unit !== 'h' && unit !== 'd') return undefined;
  const from = unit === 'd' ? DAY_MS : MINUTE_MS;
  return new Date(Math.floor(now / from) * from + Number(count) * UNITS[unit]).toISOString();
}
