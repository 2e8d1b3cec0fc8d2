import { databaseDouble, noSnapshots, snapshotsDouble } from '../support/doubles.ts';
import { Service } from '../support/service.ts';
import { type DatabaseName, SEVERAL } from '../support/several.ts';

export const NAMES = ['DB', 'DB_2', 'DB_3'] as const satisfies readonly DatabaseName[];

/** A round trip of a service to one of its databases. */
export interface Trip {
  /** From 1. What the call log takes is not counted: it comes behind the answer. */
  readonly number: number;
  readonly database: DatabaseName;
  readonly sql: string;
}

export type Around = (run: () => Promise<unknown>, trip: Trip) => Promise<unknown>;
export type IsTrip = (trip: Trip) => boolean;

/** A service with something around each of its round trips, and without snapshots. */
export function serviceAround(around: Around): Service {
  let number = 0;
  const watched = (database: DatabaseName) =>
    databaseDouble(
      {
        around: (run, sql) => {
          if (/"calls"|call_log/.test(sql)) return run();
          number += 1;
          return around(run, { number, database, sql });
        },
      },
      SEVERAL[database],
    );
  const databases = { DB: watched('DB'), DB_2: watched('DB_2'), DB_3: watched('DB_3') };
  return new Service({ ...databases, SNAPSHOTS: noSnapshots() });
}

/** A service of which the first such round trip fails: nothing of it is done. */
export function refusing(isIt: IsTrip): Service {
  let isOver = false;
  return serviceAround((run, trip) => {
    if (isOver || !isIt(trip)) return run();
    isOver = true;
    throw new Error('D1_ERROR: the step was killed');
  });
}

/**
 * A service of which the first such round trip is held back until it is released.
 *
 * @param before done before each round trip
 */
export function holding(isIt: IsTrip, before: (trip: Trip) => Promise<void> = async () => {}) {
  const reached = Promise.withResolvers<Trip>();
  const released = Promise.withResolvers<void>();
  let isOver = false;
  const service = serviceAround(async (run, trip) => {
    await before(trip);
    if (!isOver && isIt(trip)) {
      isOver = true;
      reached.resolve(trip);
      await released.promise;
    }
    return run();
  });
  return { service, reached: reached.promise, release: () => released.resolve() };
}

/** A service whose directory in KV says that a municipality is in a database. */
export function hintedAt(database: DatabaseName, code: string): Service {
  const directory = JSON.stringify({ version: 1, databases: { [database]: [code] } });
  const SNAPSHOTS = snapshotsDouble(async (_, method, key) =>
    method === 'get' && key === 'databases' ? directory : null,
  );
  return new Service({ ...SEVERAL, SNAPSHOTS });
}

/** What a move sends that changes something, recognized by its text. */
export const STATEMENTS = {
  beginLeaving: /insert into "moves" .*select "to_database" as "to"/s,
  beginArriving: /insert into "tenants" .*insert into "moves"/s,
  clear: /"moves"\."turn" = \?\)\);delete from /,
  store: /update "moves" set "progress" = \? where "moves"\."municipality_id" = \?(;|$)/,
  stopWrites: /set "writes_stopped_until" = cast/,
  copyRow: /;update "municipalities" set .*"arriving" = \?.* where "municipalities"\."id" = \?(;|$)/s,
  pointOn: /^update "municipalities" set "moved_to" = \?, "writes_stopped_until" = \?/,
  completeArrival: /^update "municipalities"\s+set "moved_to" = null, "arriving" = false/,
  renewPointer: /^update "municipalities" set "moved_to" = \?, "stay" = \?/,
  keepCleaning: /^update "moves" set "progress" = \? where \(/,
  cleanUp: /not "municipalities"\."arriving".*;delete from "parking_sessions"/s,
  endMove: /^delete from "moves"/,
  keepDone: /^update "moves" set "state" = \?, "ended_at" = cast/,
} as const;

export type Kind = keyof typeof STATEMENTS;
/** Every kind of statement with which a move changes something: the names above, and no others. */
export const KINDS = Object.keys(STATEMENTS) as Kind[];

/** Round trips that send such a statement, to any database. */
export const sends =
  (statement: Kind): IsTrip =>
  ({ sql }) =>
    STATEMENTS[statement].test(sql);

/** The round trip that may change something, by its number among those, from 1. */
export function change(at: number): IsTrip {
  let changes = 0;
  return ({ sql }) => {
    changes += sql.startsWith('select') ? 0 : 1;
    return changes === at;
  };
}
