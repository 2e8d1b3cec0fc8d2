const WRITES = /^\s*(?:insert(?:\s+or\s+replace)?\s+into|update|delete\s+from)\s+"?(\w+)/i;
/** What a call leaves of itself, refused or not. */
const OF_EVERY_CALL = ['calls', 'call_plates'];

/** The real database, and which tables were written to through it. */
export function writesOf(db: D1Database): { readonly DB: D1Database; readonly tables: () => string[] } {
  const tables = new Set<string>();
  const DB = new Proxy(db, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...parameters: unknown[]) => {
        if (name === 'prepare') {
          const table = WRITES.exec(String(parameters[0]))?.[1];
          if (table !== undefined && !OF_EVERY_CALL.includes(table)) tables.add(table);
        }
        return value.apply(target, parameters) as unknown;
      };
    },
  });
  return { DB, tables: () => [...tables] };
}
