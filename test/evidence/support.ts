import { env } from 'cloudflare:workers';
import { drizzle } from 'drizzle-orm/d1';
import { parkingSessions } from '../../src/db/schema/index.ts';
import { record, sessionRow } from '../support/journal.ts';

export const EVIDENCE = '/api/v2/evidence/search';

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
