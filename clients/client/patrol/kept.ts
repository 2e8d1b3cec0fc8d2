import { isObject } from '../shape.ts';

/**
 * A vehicle that an officer has seen, stored until it is settled. Instants are milliseconds since the epoch.
 */
export interface KeptSighting {
  readonly id: string;
  readonly plate: string;
  readonly areaCode: string;
  readonly alternatives: readonly string[];
  /** By the service's clock; by the machine's while `dated` is false. */
  readonly seenAt: number;
  /** Whether the service's clock was known when it was dated. */
  readonly dated: boolean;
  /** When it is worth asking about it (again), by the service's clock; 0: at once. */
  readonly askAt: number;
  /** Since when the service has failed for it alone, if its last answer was that. */
  readonly failedSince?: number | undefined;
}

/** A patrol's stored state between two runs. */
export interface Kept {
  /** How far the service's clock is ahead of the machine's, if that is wrong. */
  readonly serviceAheadMs: number;
  readonly sightings: readonly KeptSighting[];
}

const VERSION = 1;

export const textOf = (kept: Kept): string => JSON.stringify({ version: VERSION, ...kept });

/** Null for a text that is incomplete, or of another version. */
export function keptIn(text: string): Kept | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(value) || value.version !== VERSION || typeof value.serviceAheadMs !== 'number') return null;
  const { serviceAheadMs, sightings } = value;
  return Array.isArray(sightings) && sightings.every(isSighting) ? { serviceAheadMs, sightings } : null;
}

function isSighting(value: unknown): value is KeptSighting {
  return (
    isObject(value) &&
    [value.id, value.plate, value.areaCode].every((text) => typeof text === 'string') &&
    Array.isArray(value.alternatives) &&
    value.alternatives.every((text) => typeof text === 'string') &&
    [value.seenAt, value.askAt].every(Number.isFinite) &&
    typeof value.dated === 'boolean' &&
    (value.failedSince === undefined || typeof value.failedSince === 'number')
  );
}
