import type { Instant } from '../../domain/instant.ts';
import { normalizePlate, type Plate } from '../../domain/plate.ts';
import { sessionLine } from './contract.ts';
import { type Reading, rejectShape, rejectValues, type WrongValue } from './rejection.ts';

/** A session as its source reports it, and as it is stored. */
export interface SessionRow {
  /** Its `session_id`, unique in its source. */
  readonly key: string;
  readonly areaId: number;
  readonly plate: Plate;
  readonly startsAt: Instant;
  /** Null while a start-and-stop session runs. */
  readonly endsAt: Instant | null;
  readonly cancelledAt: Instant | null;
  readonly revision: number | null;
}

/**
 * Reads a line of a session import.
 *
 * @param areas the ids of all the municipality's areas by code, inactive ones too: a session paid there counts
 */
export function readSessionLine(value: unknown, areas: ReadonlyMap<string, number>): Reading<SessionRow> {
  const parsed = sessionLine.safeParse(value);
  if (!parsed.success) return rejectShape(() => parsed.error.issues);
  const line = parsed.data;
  const plate = normalizePlate(line.plate);
  const areaId = areas.get(line.area_code);
  if (plate === null || areaId === undefined) {
    const wrong: WrongValue[] = [];
    if (plate === null) wrong.push({ code: 'INVALID_PLATE', path: 'plate' });
    if (areaId === undefined) wrong.push({ code: 'AREA_NOT_FOUND', path: 'area_code' });
    return rejectValues(wrong);
  }
  return {
    row: {
      key: line.session_id,
      areaId,
      plate,
      startsAt: line.starts_at,
      endsAt: line.ends_at,
      cancelledAt: line.cancelled_at,
      revision: line.revision,
    },
  };
}
