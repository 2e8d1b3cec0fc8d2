import { databaseDouble } from '../support/doubles.ts';

interface Watcher {
  /** Told before each round trip, with the texts of its statements; what it throws fails the trip. */
  readonly before?: (statements: readonly string[]) => void | Promise<void>;
  /** Told after each statement that stands, with what it cost. */
  readonly after?: (sql: string, meta: D1Meta) => void;
}

/** The real database, which reports every round trip. */
export const watchedDb = ({ before = () => {}, after = () => {} }: Watcher): D1Database =>
  databaseDouble({
    around: async (run, sql) => {
      const statements = sql.split(';');
      await before(statements);
      const result = await run();
      for (const [index, one] of ([result].flat() as (Partial<D1Result> | null)[]).entries()) {
        if (one?.meta) after(statements[index] ?? '', one.meta);
      }
      return result;
    },
  });

/** Tells the statements that store lines from those that read, that record, and the call log's. */
export const storesLines = (sql: string): boolean =>
  /^\s*(insert into|delete from|update) "?(parking_sessions|subscription)/.test(sql);
