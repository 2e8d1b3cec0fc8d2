/** A statement as it is sent. */
export interface Recorded {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** Records the statement that facts are read by: its text and values, from the code that sends them. */
export async function recorded(read: (db: D1DatabaseSession) => Promise<unknown>): Promise<Recorded> {
  const sent: Recorded[] = [];
  const double = {
    prepare: (sql: string) => ({
      bind: (...values: unknown[]) => {
        sent.push({ sql, values });
        return { all: async () => ({ results: [], meta: {} }) };
      },
    }),
  };
  // Facts are read by `prepare`, `bind` and `all`: whatever else were called throws.
  await read(double as unknown as D1DatabaseSession);
  const [only, another] = sent;
  if (only === undefined || another !== undefined) {
    throw new Error('facts are read by one statement no longer: the yardsticks must follow');
  }
  return only;
}
