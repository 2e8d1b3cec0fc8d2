import { env } from 'cloudflare:workers';
import type { Env } from '../../src/env.ts';
import service from '../../src/worker.ts';

const APPENDS = /^\s*insert into "journal"/;

/** The database, to which no statement comes that appends to the journal. Imports store in batches alone. */
function withoutJournal(database: D1Database): D1Database {
  const appending = new WeakSet<object>();
  const prepared = (statement: D1PreparedStatement, sql: string): D1PreparedStatement => {
    if (!APPENDS.test(sql)) {
      return statement;
    }
    appending.add(statement);
    return new Proxy(statement, {
      get: (target, name) =>
        name === 'bind'
          ? (...values: unknown[]) => {
              const bound = target.bind(...values);
              appending.add(bound);
              return bound;
            }
          : Reflect.get(target, name),
    });
  };
  return new Proxy(database, {
    get: (target, name) => {
      switch (name) {
        case 'prepare':
          return (sql: string) => prepared(target.prepare(sql), sql);
        case 'batch':
          return (statements: D1PreparedStatement[]) =>
            target.batch(statements.filter((statement) => !appending.has(statement)));
        default: {
          const value: unknown = Reflect.get(target, name);
          return typeof value === 'function' ? value.bind(target) : value;
        }
      }
    },
  });
}

const DB = withoutJournal(env.DB);

/** The service, which stores what it imports and keeps no journal of it. */
export default {
  fetch: (request, env, execution) => service.fetch(request, { ...env, DB }, execution),
} satisfies ExportedHandler<Env>;
