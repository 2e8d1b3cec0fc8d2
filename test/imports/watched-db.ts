import { env } from 'cloudflare:workers';

interface Watcher {
  /** Told before each round trip, with the texts of its statements; what it throws fails the trip. */
  readonly before?: (statements: readonly string[]) => void | Promise<void>;
  /** Told after each statement that stands, with what it cost. */
  readonly after?: (sql: string, meta: D1Meta) => void;
}

/** The real database, which reports every round trip. It has only what is used here. */
export function watchedDb({ before = () => {}, after = () => {} }: Watcher): D1Database {
  const behind = new WeakMap<object, { statement: D1PreparedStatement; sql: string }>();

  function watched(statement: D1PreparedStatement, sql: string): D1PreparedStatement {
    const run = async () => {
      await before([sql]);
      const result = await statement.all();
      after(sql, result.meta);
      return result;
    };
    const double = {
      bind: (...values: unknown[]) => watched(statement.bind(...values), sql),
      all: run,
      run,
      raw: async () => {
        await before([sql]);
        return statement.raw();
      },
    };
    behind.set(double, { statement, sql });
    return double as unknown as D1PreparedStatement;
  }

  async function batch(statements: readonly object[]): Promise<D1Result[]> {
    const parts = statements.map((statement) => behind.get(statement)).filter((part) => part !== undefined);
    await before(parts.map(({ sql }) => sql));
    const results = await env.DB.batch(parts.map(({ statement }) => statement));
    parts.forEach(({ sql }, index) => {
      const meta = results[index]?.meta;
      if (meta) after(sql, meta);
    });
    return results;
  }

  return { prepare: (sql: string) => watched(env.DB.prepare(sql), sql), batch } as unknown as D1Database;
}

/** Tells the statements that store lines from those that read, that record, and the call log's. */
export const storesLines = (sql: string): boolean =>
  /^\s*(insert into|delete from|update) "?(parking_sessions|subscription)/.test(sql);
