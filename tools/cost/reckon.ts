import { CHECK, type Figures, SESSIONS } from './figures.ts';

/** What a city brings a day, and how long it is kept. */
export interface City {
  readonly sessionsADay: number;
  readonly extensionsADay: number;
  readonly cancellationsADay: number;
  readonly checksADay: number;
  readonly sessionDays: number;
  readonly callDays: number;
}

export interface Reckoned {
  readonly bytesADay: number;
  /** Of these, the sessions with their history. */
  readonly sessionBytesADay: number;
  /** Once both retentions are over: from then on as much goes as comes. */
  readonly bytes: number;
  /** The day on which one database is full; null where it never is. */
  readonly fullOnDay: number | null;
  /** The day on which the alert `database_filling` comes; null where it never does. */
  readonly alertOnDay: number | null;
  /** For how many days sessions may be kept beside these calls, so that one database never comes to the alert. */
  readonly sessionDaysThatFit: number;
  /** How long the retention deletes at the alert, once sessions are kept for those days; null where there is no alert. */
  readonly daysToDelete: number | null;
  readonly rowsWrittenAMonth: number;
  readonly rowsReadAMonth: number;
  /** Of D1. */
  readonly dollarsAMonth: number;
  readonly callsAMonth: number;
  /** Of the objects: what they take while they work. */
  readonly gigabyteSecondsAMonth: number;
  /** All of it, with the plan. */
  readonly allDollarsAMonth: number;
}

const GB = 1e9;
/** The most that a database of D1 holds. */
const DATABASE_BYTES = 10 * GB;
const ALERT_BYTES = 8 * GB;
/** What leaves room for days that bring more. */
const ROOMY_BYTES = 7 * GB;
const DAYS_A_MONTH = 30;
/** Each row and index entry goes once more when its retention is over: as many at most. */
const WRITTEN_AND_DELETED = 2;

/** Of the paid plan, in dollars; what is included is a month's. */
const PRICES = {
  rowsRead: { included: 25e9, each: 0.001 / 1e6 },
  rowsWritten: { included: 50e6, each: 1 / 1e6 },
  bytes: { included: 5 * GB, each: 0.75 / GB },
  calls: { included: 10e6, each: 0.3 / 1e6 },
  objectCalls: { included: 1e6, each: 0.15 / 1e6 },
  gigabyteSeconds: { included: 400_000, each: 12.5 / 1e6 },
} as const;
const PLAN_DOLLARS = 5;
/** An object has so much for as long as it works: some milliseconds a call, with some to spare. */
const [OBJECT_GB, OBJECT_SECONDS] = [0.128, 0.01];

/** What a city stores and what its database costs, by the measured figures. */
export function reckon(city: City): Reckoned {
  const sessions = ofSessions(city);
  const calls = times(CHECK, city.checksADay);
  const storedOn = (day: number): number =>
    sessions.bytes * Math.min(day, city.sessionDays) + calls.bytes * Math.min(day, city.callDays);
  const isAlertOn = (day: number): boolean => storedOn(day) > ALERT_BYTES;
  const lastDay = Math.max(city.sessionDays, city.callDays);
  const bytes = storedOn(lastDay);
  const rowsWrittenAMonth = DAYS_A_MONTH * WRITTEN_AND_DELETED * (sessions.rowsWritten + calls.rowsWritten);
  const rowsReadAMonth = DAYS_A_MONTH * (sessions.rowsRead + calls.rowsRead);
  const dollarsAMonth =
    priceOf(PRICES.rowsRead, rowsReadAMonth) +
    priceOf(PRICES.rowsWritten, rowsWrittenAMonth) +
    priceOf(PRICES.bytes, bytes);
  // Imports bring thousands of sessions in a call.
  const callsAMonth = DAYS_A_MONTH * city.checksADay;
  const gigabyteSecondsAMonth = callsAMonth * OBJECT_GB * OBJECT_SECONDS;
  const alertOnDay = firstDay(lastDay, isAlertOn);
  const sessionDaysThatFit = Math.max(
    0,
    Math.floor((ROOMY_BYTES - calls.bytes * city.callDays) / sessions.bytes),
  );
  return {
    bytesADay: sessions.bytes + calls.bytes,
    sessionBytesADay: sessions.bytes,
    bytes,
    fullOnDay: firstDay(lastDay, (day) => storedOn(day) > DATABASE_BYTES),
    alertOnDay,
    sessionDaysThatFit,
    daysToDelete: alertOnDay && daysToDelete(city, Math.max(0, alertOnDay - sessionDaysThatFit)),
    rowsWrittenAMonth,
    rowsReadAMonth,
    dollarsAMonth,
    callsAMonth,
    gigabyteSecondsAMonth,
    allDollarsAMonth:
      PLAN_DOLLARS +
      dollarsAMonth +
      priceOf(PRICES.calls, callsAMonth) +
      priceOf(PRICES.objectCalls, callsAMonth) +
      priceOf(PRICES.gigabyteSeconds, gigabyteSecondsAMonth),
  };
}

function ofSessions({ sessionsADay, extensionsADay, cancellationsADay }: City): Figures {
  const parts = [
    times(SESSIONS.session, sessionsADay),
    times(SESSIONS.extension, extensionsADay),
    times(SESSIONS.cancellation, cancellationsADay),
  ];
  return parts.reduce((sum, part) => ({
    bytes: sum.bytes + part.bytes,
    rowsWritten: sum.rowsWritten + part.rowsWritten,
    rowsRead: sum.rowsRead + part.rowsRead,
  }));
}

const times = ({ bytes, rowsWritten, rowsRead }: Figures, count: number): Figures => ({
  bytes: bytes * count,
  rowsWritten: rowsWritten * count,
  rowsRead: rowsRead * count,
});

/** What the retention of a database alone sends in a day, and how much of a kind goes with one statement. */
const RETENTION = { statementsADay: 24 * (900 - 67), sessionsEach: 250 / 7, callsEach: 1_000 / 3 } as const;

/** Day by day: what the retention sends beyond what each day brings takes the surplus. Infinite where it sends no more. */
function daysToDelete({ sessionsADay, checksADay }: City, surplusDays: number): number {
  const ofSessionsADay = sessionsADay / RETENTION.sessionsEach;
  const spare = RETENTION.statementsADay - ofSessionsADay - checksADay / RETENTION.callsEach;
  return spare <= 0 ? Number.POSITIVE_INFINITY : Math.ceil((surplusDays * ofSessionsADay) / spare);
}

function firstDay(lastDay: number, isFull: (day: number) => boolean): number | null {
  for (let day = 1; day <= lastDay; day += 1) {
    if (isFull(day)) return day;
  }
  return null;
}

const priceOf = (
  { included, each }: { readonly included: number; readonly each: number },
  amount: number,
): number => Math.max(0, amount - included) * each;
