import { HOUR_MS } from '../../src/domain/instant.ts';

export const text = (at: number): string => new Date(at).toISOString();

const NOW = Date.now();

/** Lines of imports about plates that are erased. */
export const session = (session_id: string, plate: string, changed: object = {}) => ({
  ...{ session_id, plate, area_code: 'P1', starts_at: text(NOW - HOUR_MS), ends_at: text(NOW + HOUR_MS) },
  ...changed,
});
export const subscription = (subscription_number: string, ...plates: string[]) => ({
  ...{ subscription_number, type: 'RES', plates: plates.map((plate) => ({ plate })) },
  ...{ approval: 'approved', areas: 'all', periods: [] },
});
