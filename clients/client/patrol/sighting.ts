import { isOtherReading } from '../../../src/domain/patrol/other-reading.ts';
import { normalizePlate } from '../../../src/domain/plate.ts';
import type { KeptSighting } from './kept.ts';

/** The most other readings that the service takes of one plate. */
const MAX_ALTERNATIVES = 5;
/** The instants that the service takes. */
const [FIRST_MS, LAST_MS] = [0, Date.UTC(10_000, 0, 1) - 1];

/**
 * A camera's other readings in the form that the service takes: normalized, each once, the first five.
 * Readings of another plate are left out, since the service would refuse the whole call, and so are texts
 * that are not plates, which would only cost budget.
 */
export function otherReadings(plateText: string, alternatives: readonly string[]): string[] {
  const plate = normalizePlate(plateText);
  if (plate === null) return [];
  const read = alternatives.flatMap((text) => normalizePlate(text) ?? []);
  return [...new Set(read)]
    .filter((other) => other !== plate && isOtherReading(plate, other))
    .slice(0, MAX_ALTERNATIVES);
}

/** @throws RangeError for an instant that the service does not take */
export function requireInstant(at: number): void {
  if (!(at >= FIRST_MS && at <= LAST_MS)) {
    throw new RangeError('seenAt must be an instant from 1970 to 9999.');
  }
}

/** A sighting as it is asked about. */
export const checkOf = ({ id, plate, areaCode, alternatives, seenAt }: KeptSighting) => ({
  ...{ id, plate, area_code: areaCode, alternatives },
  seen_at: new Date(seenAt).toISOString(),
});
