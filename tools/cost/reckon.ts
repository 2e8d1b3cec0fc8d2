import { CHECK, type Figures, SESSIONS } from './figures.ts';

/** A city's traffic a day, and its retention. */
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
  /** Once both retentions have passed: from then on as much is deleted as comes. */
  readonly bytes: number;
  /** The day on which one database is full; null if never. */
  readonly fullOnDay: number | null;
  /** The day on which the alert `database_filling` comes; null if never. */
  readonly alertOnDay: number | null;
  /** The longest retention of sessions, with these calls, without the alert in one database. */
  readonly sessionDaysThatFit: number;
  /**
   * How many days the retention needs to catch up after the alert, with that retention of sessions; null
   * without an alert.
   */
  readonly daysToDelete: number | null;
  readonly rowsWrittenAMonth: number;
  readonly rowsReadAMonth: number;
  /** Of D1. */
  readonly dollarsAMonth: number;
  readonly callsAMonth: number;
  /** The objects' consumption while they work. */
  readonly gigabyteSecondsAMonth: number;
  /** All of it, with the plan. */
  readonly allDollarsAMonth: number;
}

const GB = 1e9;
/** The largest size of a D1 database. */
const DATABASE_BYTES = 10 * GB;
const ALERT_BYTES = 8 * GB;
/** A size with room for busier days. */
const ROOMY_BYTES = 7 * GB;
const DAYS_A_MONTH = 30;
/** Retention deletes each row and index entry once: at most as many again. */
const WRITTEN_AND_DELETED = 2;

/** Of the paid plan, in dollars; included amounts are a month's. */
const PRICES = {
  rowsRead: { included: 25e9, each: 0.001 / 1e6 },
  rowsWritten: { included: 50e6, each: 1 / 1e6 },
  bytes: { included: 5 * GB, each: 0.75 / GB },
  calls: { included: 10e6, each: 0.3 / 1e6 },
  objectCalls: { included: 1e6, each: 0.15 / 1e6 },
  gigabyteSeconds: { included: 400_000, each: 12.5 / 1e6 },
} as const;
const PLAN_DOLLARS = 5;
/** An object's memory while it works: some milliseconds a call, generously. */
const [OBJECT_GB, OBJECT_SECONDS] = [0.128, 0.01];

/** Computes a city's storage and price from the measured figures. */
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

/**
 * How many statements the retention of a single database sends in a day, and how many rows of a kind each
 * deletes.
 */
const RETENTION = { statementsADay: 24 * (900 - 67), sessionsEach: 250 / 7, callsEach: 1_000 / 3 } as const;

/** Day by day, the retention's spare statements delete the surplus. Infinite without spare statements. */
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
