import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { readMunicipalities } from '../../src/core/snapshots/municipality-rows-table.ts';
import { HOUR_MS, instant } from '../../src/domain/instant.ts';
import { APP_SOURCE, CITY, seed } from '../support/seed.ts';

const NOW = Date.UTC(2026, 2, 7, 11);
const HOUR_AGO = NOW - HOUR_MS;
const IN_AN_HOUR = NOW + HOUR_MS;

interface Session {
  readonly startsAt: number;
  readonly endsAt?: number;
  readonly cancelledAt?: number;
}

/** Each by its name: whether it can count at the instant, or at one of the hour after it. */
const SESSIONS: readonly (readonly [name: string, session: Session, read: boolean])[] = [
  ['ends now', { startsAt: HOUR_AGO, endsAt: NOW }, false],
  ['ends next', { startsAt: HOUR_AGO, endsAt: NOW + 1 }, true],
  ['starts in an hour', { startsAt: IN_AN_HOUR, endsAt: IN_AN_HOUR + 1 }, true],
  ['starts later', { startsAt: IN_AN_HOUR + 1, endsAt: IN_AN_HOUR + 2 }, false],
  ['cancelled now', { startsAt: HOUR_AGO, endsAt: IN_AN_HOUR, cancelledAt: NOW }, false],
  ['cancelled next', { startsAt: HOUR_AGO, endsAt: IN_AN_HOUR, cancelledAt: NOW + 1 }, true],
  ['open', { startsAt: HOUR_AGO }, true],
  ['open, forgotten now', { startsAt: NOW - 72 * HOUR_MS }, false],
  ['open, forgotten next', { startsAt: NOW - 72 * HOUR_MS + 1 }, true],
  ['open, starts in an hour', { startsAt: IN_AN_HOUR }, true],
  ['open, starts later', { startsAt: IN_AN_HOUR + 1 }, false],
  ['open, cancelled now', { startsAt: HOUR_AGO, cancelledAt: NOW }, false],
  ['open, cancelled next', { startsAt: HOUR_AGO, cancelledAt: NOW + 1 }, true],
];

/** Plates are short: a session's name is found by its number. */
const plateOf = (index: number): string => `P${index}`;
let read: ReadonlySet<string>;

beforeAll(async () => {
  await seed({
    ...CITY,
    sources: [APP_SOURCE, { ...APP_SOURCE, id: 2, code: 'hasty', openSessionMaxHours: 1 }],
    parkingSessions: SESSIONS.map(([sessionId, session], index) => ({
      ...session,
      municipalityId: 1,
      sourceCode: 'app1',
      sessionId,
      areaId: 1,
      plate: plateOf(index),
    })),
  });
  const rows = await readMunicipalities(env.DB, [1], instant(NOW));
  read = new Set(rows.get(1)?.sessions.map(({ plate }) => plate));
});

describe('Of the sessions in the database, one that', () => {
  it.each(SESSIONS.map(([name, _, isRead], index) => ({ name, isRead, index })))(
    '$name is read: $isRead',
    ({ isRead, index }) => {
      expect(read.has(plateOf(index))).toBe(isRead);
    },
  );
});
