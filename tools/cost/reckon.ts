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

const GB = 1e9;
/** The largest size of a D1 database, and one with room for busier days. */
const DATABASE_BYTES = 10 * GB;
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

/** Computes a city's storage, and a month's amounts and price, from the measured figures. */
export function reckon(city: City) {
  const { checksADay, sessionDays, callDays } = city;
  const sessionFigure = (figure: keyof Figures): number =>
    SESSIONS.session[figure] * city.sessionsADay +
    SESSIONS.extension[figure] * city.extensionsADay +
    SESSIONS.cancellation[figure] * city.cancellationsADay;
  const callBytes = CHECK.bytes * checksADay;
  const storedOn = (day: number): number =>
    sessionFigure('bytes') * Math.min(day, sessionDays) + callBytes * Math.min(day, callDays);
  // Once both retentions have passed, as much is deleted as comes.
  const lastDay = Math.max(sessionDays, callDays);
  const fullOnDay = Array.from({ length: lastDay }, (_, index) => index + 1).find(
    (day) => storedOn(day) > DATABASE_BYTES,
  );
  const ofAMonth = (figure: 'rowsWritten' | 'rowsRead'): number =>
    DAYS_A_MONTH * (sessionFigure(figure) + CHECK[figure] * checksADay);
  // Imports bring thousands of sessions in a call.
  const calls = DAYS_A_MONTH * checksADay;
  const amounts = {
    rowsRead: ofAMonth('rowsRead'),
    rowsWritten: WRITTEN_AND_DELETED * ofAMonth('rowsWritten'),
    bytes: storedOn(lastDay),
    calls,
    objectCalls: calls,
    gigabyteSeconds: calls * OBJECT_GB * OBJECT_SECONDS,
  };
  const priceOf = (name: keyof typeof PRICES): number =>
    Math.max(0, amounts[name] - PRICES[name].included) * PRICES[name].each;
  const databaseDollars = priceOf('rowsRead') + priceOf('rowsWritten') + priceOf('bytes');
  return {
    bytesADay: sessionFigure('bytes') + callBytes,
    /** The day on which one database is full; null if never. */
    fullOnDay: fullOnDay ?? null,
    /** The longest retention of sessions with room to spare, with these calls. */
    sessionDaysThatFit: Math.max(
      0,
      Math.floor((ROOMY_BYTES - callBytes * callDays) / sessionFigure('bytes')),
    ),
    amounts,
    databaseDollars,
    /** With the plan. */
    dollars:
      PLAN_DOLLARS + databaseDollars + priceOf('calls') + priceOf('objectCalls') + priceOf('gigabyteSeconds'),
  };
}
