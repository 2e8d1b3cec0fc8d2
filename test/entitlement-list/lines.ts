import { HOUR_MS } from '../../src/domain/instant.ts';

export const NOW = Date.now();

/** The instant so many milliseconds from {@link NOW}. */
export const at = (ms: number): string => new Date(NOW + ms).toISOString();

/** A line of an import: a session in the facility P1 that runs now. */
export const session = (id: string, changed: object = {}) => ({
  session_id: id,
  plate: 'AB123CD',
  area_code: 'P1',
  starts_at: at(-HOUR_MS),
  ends_at: at(HOUR_MS),
  ...changed,
});

/** Likewise, a subscription that is valid now, everywhere. */
export const subscription = (number: string, changed: object = {}) => ({
  subscription_number: number,
  type: 'RES',
  plates: [{ plate: 'AB123CD' }],
  approval: 'approved',
  areas: 'all',
  periods: [{ starts_at: at(-HOUR_MS), ends_at: at(2 * HOUR_MS) }],
  ...changed,
});
