import { env } from 'cloudflare:workers';
import { never, waitAfterwards } from './afterwards.ts';

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
  const SNAPSHOTS = new Proxy(env.SNAPSHOTS, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function'
        ? (...parameters: unknown[]) => {
            cost.kvCalls += 1;
            return value.apply(target, parameters) as unknown;
          }
        : value;
    },
  });
  return { cost, bindings: { DB, CREDENTIALS, SNAPSHOTS } };
}

interface DatabaseDouble {
  /** Wraps every round trip; `where` is the constraint of its session, if it has one. */
  readonly around: (run: () => Promise<unknown>, where: string | undefined) => Promise<unknown>;
}

/** The real database, with something around every round trip. */
export function databaseDouble({ around }: DatabaseDouble): D1Database {
  const wrapDatabase = <T extends object>(database: T, where: string | undefined): T =>
    new Proxy(database, {
      get(target, name) {
        const method = bound(target, name);
        switch (name) {
          case 'withSession':
            return (constraint: string) => wrapDatabase(method(constraint) as object, constraint);
          case 'prepare':
            return (sql: string) => wrapStatement(method(sql) as object, where);
          case 'batch':
            return (statements: object[]) =>
              around(() => method(statements.map(unwrapped)) as Promise<unknown>, where);
          default:
            return method;
        }
      },
    });
  const wrapStatement = <T extends object>(statement: T, where: string | undefined): T => {
    const proxy = new Proxy(statement, {
      get(target, name) {
        const method = bound(target, name);
        if (name === 'bind') {
          return (...values: unknown[]) => wrapStatement(method(...values) as object, where);
        }
        return ['all', 'run', 'raw', 'first'].includes(String(name))
          ? (...parameters: unknown[]) => around(() => method(...parameters) as Promise<unknown>, where)
          : method;
      },
    });
    originals.set(proxy, statement);
    return proxy;
  };
  return wrapDatabase(env.DB, undefined);
}

/** The real credentials' objects, with something around every call of one. */
export function objectsDouble(
  around: (run: () => Promise<unknown>) => Promise<unknown>,
): typeof env.CREDENTIALS {
  return new Proxy(env.CREDENTIALS, {
    get(target, name) {
      const method = bound(target, name);
      return name === 'getByName' ? (id: string) => wrapStub(method(id) as object, around) : method;
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

const originals = new WeakMap<object, object>();
const unwrapped = (statement: object): object => originals.get(statement) ?? statement;

function bound(target: object, name: PropertyKey): (...parameters: unknown[]) => unknown {
  const value: unknown = Reflect.get(target, name);
  return typeof value === 'function' ? value.bind(target) : (value as () => unknown);
}

/** A database that throws at every round trip. */
export const brokenDatabase = (message = 'D1_ERROR: Network connection lost.'): D1Database =>
  databaseDouble({ around: () => Promise.reject(new Error(message)) });

/** A database that answers only after a while. */
export const lateDatabase = (milliseconds: number): D1Database =>
  databaseDouble({
    around: (run) => {
      const late = scheduler.wait(milliseconds).then(run);
      waitAfterwards(() => late);
      return late;
    },
  });

/** Objects that throw at every call. */
export const brokenObjects = (): typeof env.CREDENTIALS =>
  objectsDouble(() => Promise.reject(new Error('the object is out of reach')));

/** Objects that never answer. */
export const hangingObjects = (): typeof env.CREDENTIALS => objectsDouble(never);

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
