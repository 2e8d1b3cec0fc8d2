import { vi } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../src/domain/instant.ts';

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
