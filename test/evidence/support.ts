import { env } from 'cloudflare:workers';
import { drizzle } from 'drizzle-orm/d1';
import { vi } from 'vitest';
import { parkingSessions } from '../../src/db/schema/index.ts';
import { DAY_MS, HOUR_MS } from '../../src/domain/instant.ts';
import { record, sessionRow } from '../support/journal.ts';

export const EVIDENCE = '/api/v2/evidence/search';
export const CHECK = '/api/v2/parking-entitlements/search';

/** A Saturday morning in Rome, 8:39: an officer looks. */
export const LOOKED = Date.UTC(2026, 2, 7, 7, 39);
/** Since when there are records. */
export const BEGAN = LOOKED - 30 * DAY_MS;
/** Two weeks later a clerk judges the objection. */
export const JUDGED = LOOKED + 14 * DAY_MS;

export type Body = Record<string, unknown>;

export const iso = (at: number): string => new Date(at).toISOString();

/** From and until so many hours after the officer looked. */
export const hours = (from: number, until: number) => ({
  starts_at: LOOKED + from * HOUR_MS,
  ends_at: LOOKED + until * HOUR_MS,
});

/** Does something while the clock says so. */
export async function at<T>(now: number, work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['Date'], now });
  try {
    return await work();
  } finally {
    vi.useRealTimers();
  }
}

type Session = Parameters<typeof sessionRow>[1];

/**
 * Stores a session as an import does at an instant: its row as it stands, and in the journal what changed, with what the
 * plate leaves where it is corrected.
 */
export async function storeSession(at: number, session: Session): Promise<void> {
  const { session_id, plate, starts_at, ends_at = null, cancelled_at = null, area_code = 'P1' } = session;
  const values = {
    areaId: area_code === 'S1' ? 1 : 2,
    plate,
    startsAt: starts_at,
    endsAt: ends_at,
    cancelledAt: cancelled_at,
  };
  const key = { municipalityId: 1, sourceCode: 'app1', sessionId: session_id };
  const before = await env.DB.prepare(
    'select plate, area_id from parking_sessions where municipality_id = 1 and source_code = ?1 and session_id = ?2',
  )
    .bind('app1', session_id)
    .first<{ plate: string; area_id: number }>();
  await drizzle(env.DB)
    .insert(parkingSessions)
    .values({ ...key, ...values })
    .onConflictDoUpdate({
      target: [parkingSessions.municipalityId, parkingSessions.sourceCode, parkingSessions.sessionId],
      set: values,
    });
  const isCorrected = before !== null && before.plate !== plate;
  const hasMoved = before !== null && !isCorrected && before.area_id !== values.areaId;
  await record(
    ...(isCorrected
      ? [
          sessionRow(
            at,
            { ...session, plate: before.plate, area_code: before.area_id === 1 ? 'S1' : 'P1' },
            { left: true },
          ),
        ]
      : []),
    sessionRow(at, session, hasMoved ? { leftAreaId: before.area_id } : {}),
  );
}
