import type { AreaAnswer, OccupancyAnswer } from './contract-service.ts';

/** An area of which the service knows the capacity. Status and percentage follow from the figures, as the service has it. */
export function area(
  name: string,
  capacity: number | null,
  now: number,
  [after30, after60]: readonly [number, number] = [now, now],
  area_type: AreaAnswer['area_type'] = 'facility',
): AreaAnswer {
  const isKnown = capacity !== null;
  return {
    ...{ code: name.toUpperCase().replaceAll(' ', '-'), name, area_type, latitude: null, longitude: null },
    capacity,
    available_now: isKnown ? now : null,
    available_after_30: isKnown ? after30 : null,
    available_after_60: isKnown ? after60 : null,
    occupancy_percent: capacity ? ((capacity - now) / capacity) * 100 : null,
    status: statusOf(capacity, now),
    closed_until: null,
  };
}

function statusOf(capacity: number | null, now: number): AreaAnswer['status'] {
  if (capacity === null) return 'unknown';
  if (now === 0) return 'full';
  return now <= Math.max(1, capacity * 0.05) ? 'almost_full' : 'available';
}

/** Torino, with an area of each status, and one on the street. */
export const torino = (changed: Partial<OccupancyAnswer> = {}): OccupancyAnswer =>
  city(
    'L219',
    'Torino',
    [
      area('Bolzano', 1_300, 1_042, [1_100, 1_180]),
      area('Ventimiglia', 200, 7, [12, 31]),
      area('Emanuele Filiberto', 148, 0, [3, 9]),
      area('Università', null, 0),
      area('Via Po', 40, 18, [20, 1], 'street'),
    ],
    changed,
  );

export const bologna = (changed: Partial<OccupancyAnswer> = {}): OccupancyAnswer =>
  city('A944', 'Bologna', [area('Autostazione', 257, 71), area('Riva Reno', 470, 130)], changed);

export const city = (
  code: string,
  name: string,
  areas: AreaAnswer[],
  changed: Partial<OccupancyAnswer> = {},
): OccupancyAnswer => ({
  api_version: '1.0',
  municipality: { code, name },
  timezone: 'Europe/Rome',
  as_of: new Date().toISOString(),
  refresh_after_seconds: 60,
  data_quality: 'good',
  last_source_success_at: new Date().toISOString(),
  areas,
  ...changed,
});
