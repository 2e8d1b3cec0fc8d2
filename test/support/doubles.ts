import { env } from 'cloudflare:workers';

/** What a call cost: statements sent to D1 by round trip, the rows they read, and calls of Durable Objects. */
export interface Cost {
  roundTrips: number;
  rowsRead: number;
  objectCalls: number;
  kvCalls: number;
}

/** Counting doubles of the bindings, in front of the real ones. */
export function countedBindings() {
  const cost: Cost = { roundTrips: 0, rowsRead: 0, objectCalls: 0, kvCalls: 0 };
  const DB = databaseDouble({
    around: async (run) => {
      cost.roundTrips += 1;
      const result = await run();
      const results: D1Result[] = Array.isArray(result) ? result : [result as D1Result];
      cost.rowsRead += results.reduce((sum, { meta }) => sum + (meta?.rows_read ?? 0), 0);
      return result;
    },
  });
  const CREDENTIALS = objectsDouble(async (run) => {
    cost.objectCalls += 1;
    return run();
  });
  const SNAPSHOTS = snapshotsDouble((run) => {
    cost.kvCalls += 1;
    return run();
  });
  return { cost, bindings: { DB, CREDENTIALS, SNAPSHOTS } };
}

interface DatabaseDouble {
  /** Wraps every round trip; `sql` is the text of its statements. */
  readonly around: (run: () => Promise<unknown>, sql: string) => Promise<unknown>;
}

/** The real database, unless it is another, with something around every round trip. */
export function databaseDouble({ around }: DatabaseDouble, database = env.DB): D1Database {
  const wrapStatement = <T extends object>(statement: T, sql: string): T => {
    const proxy = new Proxy(statement, {
      get(target, name) {
        const method = bound(target, name);
        if (name === 'bind') {
          return (...values: unknown[]) => wrapStatement(method(...values) as object, sql);
        }
        return ['all', 'run', 'raw', 'first'].includes(String(name))
          ? (...parameters: unknown[]) => around(() => method(...parameters) as Promise<unknown>, sql)
          : method;
      },
    });
    prepared.set(proxy, { statement, sql });
    return proxy;
  };
  return new Proxy(database, {
    get(target, name) {
      const method = bound(target, name);
      switch (name) {
        case 'prepare':
          return (sql: string) => wrapStatement(method(sql) as object, sql);
        case 'batch':
          return (batch: object[]) => {
            const originals = batch.map(originalOf);
            const sql = originals.map((original) => original.sql).join(';');
            return around(() => method(originals.map(({ statement }) => statement)) as Promise<unknown>, sql);
          };
        default:
          return method;
      }
    },
  });
}

/** Tells the statements that write the call log. */
export const writesCallLog = (sql: string): boolean => /insert into "calls"/.test(sql);

/** The real credentials' objects, with something around every call of one. */
export function objectsDouble(
  around: (
    run: () => Promise<unknown>,
    options?: DurableObjectNamespaceGetDurableObjectOptions,
  ) => Promise<unknown>,
): typeof env.CREDENTIALS {
  return new Proxy(env.CREDENTIALS, {
    get(target, name) {
      const method = bound(target, name);
      return name === 'getByName'
        ? (id: string, options?: DurableObjectNamespaceGetDurableObjectOptions) =>
            wrapStub(method(id, options) as object, (run) => around(run, options))
        : method;
    },
  });
}

function wrapStub(stub: object, around: (run: () => Promise<unknown>) => Promise<unknown>): object {
  return new Proxy(stub, {
    get: (target, name) => {
      const method = Reflect.get(target, name) as (...parameters: unknown[]) => Promise<unknown>;
      // A stub's methods are remote: they are called as they are, never taken off the stub.
      return typeof method === 'function'
        ? (...parameters: unknown[]) =>
            around(
              () =>
                (target as Record<PropertyKey, typeof method>)[name]?.(...parameters) ?? Promise.resolve(),
            )
        : method;
    },
  });
}

interface Original {
  readonly statement: object;
  readonly sql: string;
}

/** What stands behind the statements that a double has prepared. */
const prepared = new WeakMap<object, Original>();
const originalOf = (statement: object): Original => prepared.get(statement) ?? { statement, sql: '' };

function bound(target: object, name: PropertyKey): (...parameters: unknown[]) => unknown {
  const value: unknown = Reflect.get(target, name);
  return typeof value === 'function' ? value.bind(target) : (value as () => unknown);
}

/** A database that throws at every round trip. */
export const brokenDatabase = (message = 'D1_ERROR: Network connection lost.'): D1Database =>
  databaseDouble({ around: () => Promise.reject(new Error(message)) });

/** What may happen to a round trip: nothing is done, or all is done and nobody hears of it. */
export const CUTS = ['refused', 'answer lost'] as const;

/** A database of which one round trip fails, by its number from 1, the call log's apart; and how many there were. */
export function cutOffAt(at: number, cut: (typeof CUTS)[number], message = 'D1_ERROR: the call was killed') {
  let trips = 0;
  const DB = databaseDouble({
    around: async (run, sql) => {
      if (writesCallLog(sql)) return run();
      trips += 1;
      if (trips !== at) return run();
      if (cut === 'answer lost') await run();
      throw new Error(message);
    },
  });
  return { DB, trips: () => trips };
}

/** Objects that throw at every call. */
export const brokenObjects = (): typeof env.CREDENTIALS =>
  objectsDouble(() => Promise.reject(new Error('the object is out of reach')));

/** The snapshots' store, with something around every call of one of its methods. */
export function snapshotsDouble(
  around: (run: () => Promise<unknown>, method: string, key: string) => Promise<unknown>,
): KVNamespace {
  return new Proxy(env.SNAPSHOTS, {
    get(target, name) {
      const method = bound(target, name);
      return (...parameters: unknown[]) =>
        around(() => method(...parameters) as Promise<unknown>, String(name), String(parameters[0]));
    },
  });
}

/** A store that has nothing, and keeps nothing. */
export const noSnapshots = (): KVNamespace => snapshotsDouble(async () => null);
