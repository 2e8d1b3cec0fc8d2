import { env } from 'cloudflare:workers';

interface Preparing {
  prepare(sql: string): unknown;
}

/**
 * Records the text of every statement that is prepared while something runs, wherever in this process: in a call, in a
 * cron, and in a credential's object, which no double of a binding reaches.
 */
export async function recordedStatements(run: () => Promise<void>): Promise<ReadonlySet<string>> {
  const statements = new Set<string>();
  const prototype = Object.getPrototypeOf(env.DB) as Preparing;
  const { prepare } = prototype;
  prototype.prepare = function (this: Preparing, sql: string) {
    statements.add(sql);
    return prepare.call(this, sql);
  };
  try {
    await run();
  } finally {
    prototype.prepare = prepare;
  }
  return statements;
}
