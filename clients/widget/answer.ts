/** The answer of `/api/v2/public/municipalities/{code}/occupancy`: the fields that the widget shows. */
export interface Occupancy {
  readonly municipality: { readonly code: string; readonly name: string };
  /** IANA name. */
  readonly timezone: string;
  /** The instant that the figures are of: ISO 8601 with an offset. */
  readonly as_of: string;
  readonly refresh_after_seconds: number;
  readonly data_quality: 'good' | 'degraded' | 'outdated';
  /** When a source last sent something: ISO 8601. Null: never. An older service says nothing. */
  readonly last_source_success_at?: string | null;
  readonly areas: readonly Area[];
}

export interface Area {
  readonly code: string;
  readonly name: string;
  readonly area_type: AreaType;
  /** Null if unknown; then the figures that depend on it are null too. */
  readonly capacity: number | null;
  readonly available_now: number | null;
  readonly available_after_30: number | null;
  readonly available_after_60: number | null;
  readonly status: Status;
  /** ISO 8601; null or absent unless it will close. */
  readonly closed_until?: string | null;
}

export type AreaType = (typeof AREA_TYPES)[number];
export const AREA_TYPES = ['street', 'facility'] as const;

export type Status = (typeof STATUSES)[number];
const STATUSES = ['available', 'almost_full', 'full', 'closed', 'unknown'] as const;

/** Whether the answer can be shown: another server may be behind the address. */
export function isOccupancy(answer: unknown): answer is Occupancy {
  return (
    isObject(answer) &&
    isObject(answer.municipality) &&
    isText(answer.municipality.name) &&
    isTimeZone(answer.timezone) &&
    isInstant(answer.as_of) &&
    isInstantOrNone(answer.last_source_success_at) &&
    Array.isArray(answer.areas) &&
    answer.areas.every(isArea)
  );
}

/** For a code that is not public, and for one that cannot be a code. */
const NOT_PUBLIC: readonly unknown[] = ['NOT_FOUND', 'INVALID_REQUEST'];

/** Whether the service itself, and not a proxy, says that there is nothing to show. */
export function isNotPublic(answer: unknown): boolean {
  return isObject(answer) && isObject(answer.error) && NOT_PUBLIC.includes(answer.error.code);
}

function isArea(area: unknown): area is Area {
  return (
    isObject(area) &&
    isText(area.code) &&
    isText(area.name) &&
    AREA_TYPES.some((type) => type === area.area_type) &&
    STATUSES.some((status) => status === area.status) &&
    isInstantOrNone(area.closed_until) &&
    [area.capacity, area.available_now, area.available_after_30, area.available_after_60].every(
      (figure) => figure === null || typeof figure === 'number',
    )
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const isInstant = (value: unknown): boolean => isText(value) && !Number.isNaN(Date.parse(value));
const isInstantOrNone = (value: unknown): boolean =>
  value === undefined || value === null || isInstant(value);

const isText = (value: unknown): value is string => typeof value === 'string';

function isTimeZone(value: unknown): value is string {
  try {
    return isText(value) && new Intl.DateTimeFormat('en', { timeZone: value }) !== null;
  } catch {
    return false;
  }
}
