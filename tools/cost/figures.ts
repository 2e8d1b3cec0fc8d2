/** What one change costs in D1: the bytes that it keeps, and the rows that are billed, index entries included. */
export interface Figures {
  readonly bytes: number;
  readonly rowsWritten: number;
  readonly rowsRead: number;
}

/** Measured, with keys of 16 characters: `test/db/written.test.ts` holds them. With its rows of the journal. */
export const ON_A_STREET = {
  session: { bytes: 267, rowsWritten: 5, rowsRead: 10 },
  extension: { bytes: 254, rowsWritten: 6, rowsRead: 17 },
  cancellation: { bytes: 288, rowsWritten: 7, rowsRead: 21 },
} as const satisfies Readonly<Record<string, Figures>>;

/** A facility's sessions stand in the index of its entitlement list as well. */
export const IN_A_FACILITY = {
  session: { bytes: 437, rowsWritten: 8, rowsRead: 13 },
  extension: { bytes: 219, rowsWritten: 7, rowsRead: 16 },
  cancellation: { bytes: 265, rowsWritten: 8, rowsRead: 20 },
} as const satisfies Readonly<Record<string, Figures>>;

/** A plate check's row of the log, and what the check reads of a plate with a session. */
export const CHECK = { bytes: 205, rowsWritten: 2, rowsRead: 8 } as const satisfies Figures;
