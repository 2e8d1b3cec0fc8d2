/** A city whose past is in databases of its own, a quarter of a year in each: see `docs/great-city.md`. */
export interface CityWithPast {
  /** With their history. */
  readonly sessionBytesADay: number;
  /** Of the call log, which stays beside what is current. */
  readonly callBytesADay: number;
  readonly callDays: number;
  readonly sessionDays: number;
  /** How long a session stays with what is current. */
  readonly currentDays: number;
  /** Days from the first one on, the second not included, on which nothing leaves what is current: the cron is away. */
  readonly away: readonly [from: number, until: number];
}

/** The most that there was on any day. */
export interface Simulated {
  readonly currentBytes: number;
  readonly quarterBytes: number;
  /** How many quarters hold something: so many databases the past needs. */
  readonly quarters: number;
}

const QUARTER_DAYS = 91;
/** How many days' sessions leave what is current in a day. Of a great city these are 640 MB: a move would take 75 s. */
const MAX_MOVED_DAYS = 16;

/** Lets a city bring the same every day from an empty start, and takes what is past its retention each day. */
export function simulatePast(city: CityWithPast, days: number): Simulated {
  const { sessionBytesADay, callBytesADay, callDays, sessionDays, currentDays, away } = city;
  let most: Simulated = { currentBytes: 0, quarterBytes: 0, quarters: 0 };
  // Sessions of the days from `oldest` are kept, those from `oldestCurrent` beside what is current.
  let oldestCurrent = 0;
  for (let today = 0; today < days; today += 1) {
    const oldest = Math.max(0, today + 1 - sessionDays);
    const isAway = today >= away[0] && today < away[1];
    const first = Math.max(oldest, oldestCurrent);
    oldestCurrent = isAway
      ? first
      : Math.max(first, Math.min(today + 1 - currentDays, first + MAX_MOVED_DAYS));
    const quarters: number[] = [];
    for (let from = oldest; from < oldestCurrent; ) {
      const until = Math.min(oldestCurrent, from - (from % QUARTER_DAYS) + QUARTER_DAYS);
      quarters.push(sessionBytesADay * (until - from));
      from = until;
    }
    const currentBytes =
      sessionBytesADay * (today + 1 - oldestCurrent) + callBytesADay * Math.min(today + 1, callDays);
    most = {
      currentBytes: Math.max(most.currentBytes, currentBytes),
      quarterBytes: Math.max(most.quarterBytes, ...quarters),
      quarters: Math.max(most.quarters, quarters.length),
    };
  }
  return most;
}
