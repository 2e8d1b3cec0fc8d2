import { env } from 'cloudflare:workers';
import type { Random } from '../domain/random.ts';
import {
  aSessionLine,
  aSubscriptionLine,
  APP1_SESSIONS as SESSIONS,
  SUBSCRIPTIONS,
  storedSessions,
  storedSubscriptions,
} from '../imports/support.ts';

/** What is sent and stored of one key. */
export interface Line {
  readonly key: string;
  readonly plate: string;
  readonly revision: number | null;
}

/** A kind of import, reduced to keys and plates. */
export interface Kind {
  readonly name: string;
  readonly path: string;
  readonly write: (line: Line) => Record<string, unknown>;
  readonly stored: () => Promise<Line[]>;
}

/** What is stored of a key after one line more. */
export function applyLine(stored: Line | undefined, line: Line): Line {
  const known = stored?.revision ?? null;
  if (stored !== undefined && line.revision !== null && known !== null && line.revision < known) {
    return stored;
  }
  return { ...line, revision: line.revision ?? known };
}

/** Two keys fill a batch, so that a few lines make a file of several. */
const PADDING = ' '.repeat(120_000);

export const paddedFile = (kind: Kind, lines: readonly Line[]): string =>
  lines.map((line) => JSON.stringify(kind.write(line)).replace(/\}$/, `${PADDING}}`)).join('\n');

export const KINDS: readonly Kind[] = [
  {
    name: 'sessions',
    path: SESSIONS,
    write: ({ key, plate, revision }) => aSessionLine({ session_id: key, plate, revision }),
    stored: async () =>
      (await storedSessions()).map(({ session_id, plate, revision }) => ({
        key: String(session_id),
        plate: String(plate),
        revision: revision === null ? null : Number(revision),
      })),
  },
  {
    name: 'subscriptions',
    path: SUBSCRIPTIONS,
    // The plate stands in every part of the title, so that half of one would show.
    write: ({ key, plate, revision }) =>
      aSubscriptionLine({
        subscription_number: key,
        revision,
        plates: [{ plate }, { plate: `${plate}B` }],
        authorized_from: instantOf(plate),
        periods: [{ starts_at: instantOf(plate), ends_at: '2026-12-01T00:00:00Z' }],
      }),
    stored: async () =>
      (await storedSubscriptions()).map((row) => {
        const plates = row.plates as [number, string][];
        const plate = String(plates[0]?.[1]);
        const from = Date.parse(instantOf(plate));
        const whole = [
          [1, plate, null, null],
          [1, `${plate}B`, null, null],
        ];
        const key = String(row.subscription_number);
        const isWhole =
          JSON.stringify(plates) === JSON.stringify(whole) &&
          row.authorized_from === from &&
          (row.periods as number[][]).length === 1 &&
          (row.periods as number[][])[0]?.[0] === from;
        return {
          key,
          plate: isWhole ? plate : `parts of several: ${JSON.stringify(row)}`,
          revision: row.revision === null ? null : Number(row.revision),
        };
      }),
  },
];

/** An instant that tells plates of one letter apart. */
const instantOf = (plate: string): string =>
  new Date(Date.UTC(2026, 0, 1) + plate.charCodeAt(0) * 60_000).toISOString();

export function randomLines(random: Random, keys: number, most: number): Line[] {
  return random.list(1 + random.below(most), () => ({
    key: `k-${random.below(keys)}`,
    plate: random.pick([...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']),
    revision: random.oneIn(3) ? null : random.below(6),
  }));
}

/** All rows that imports write, ids apart. */
export async function everythingStored(): Promise<unknown> {
  const { results: freshness } = await env.DB.prepare(
    'select source_id, outcome, succeeded_at from imports order by source_id, recorded_at desc limit 1',
  ).all();
  return { sessions: await storedSessions(), subscriptions: await storedSubscriptions(), freshness };
}

export async function forgetImports(): Promise<void> {
  const tables = [
    ...['past_parking_sessions', 'parking_sessions', 'past_subscription_plates', 'subscription_plates'],
    ...['past_subscriptions', 'subscriptions', 'imports', 'changes'],
  ];
  await env.DB.batch(tables.map((table) => env.DB.prepare(`delete from ${table}`)));
}
