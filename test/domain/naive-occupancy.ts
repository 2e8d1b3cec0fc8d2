/**
 * The report's counters once more, written straight from the text of the rules and sharing nothing with the service:
 * every vehicle of every area is asked at every horizon whether one of its sessions is valid there. Slow and dull, to
 * be checked against.
 */

export interface NaiveSession {
  plate: string;
  area: number;
  source: number;
  starts_at: number;
  ends_at: number | null;
  cancelled_at: number | null;
  max_hours: number;
}

interface NaiveCounters {
  now: number;
  after30: number;
  after60: number;
  within30: number;
  between: number;
}

function valid(row: NaiveSession, t: number): boolean {
  if (row.cancelled_at !== null && row.cancelled_at <= t) return false;
  if (t < row.starts_at) return false;
  if (row.ends_at === null) return t < row.starts_at + row.max_hours * 3_600_000;
  return t < row.ends_at;
}

/** @param source null for all */
export function naiveCounters(
  sessions: NaiveSession[],
  area: number,
  source: number | null,
  t: number,
): NaiveCounters {
  const here = sessions.filter((row) => row.area === area && (source === null || row.source === source));
  const plates = here.map((row) => row.plate).filter((plate, index, all) => all.indexOf(plate) === index);
  const active = (plate: string, minutes: number) =>
    here.some((row) => row.plate === plate && valid(row, t + minutes * 60_000));
  const having = (condition: (plate: string) => boolean) => plates.filter(condition).length;
  return {
    now: having((plate) => active(plate, 0)),
    after30: having((plate) => active(plate, 30)),
    after60: having((plate) => active(plate, 60)),
    within30: having((plate) => active(plate, 0) && !active(plate, 30)),
    between: having((plate) => active(plate, 0) && active(plate, 30) && !active(plate, 60)),
  };
}
