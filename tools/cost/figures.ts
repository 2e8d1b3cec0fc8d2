/** What one change costs in D1: the bytes that it keeps, and the rows that are billed, index entries included. */
export interface Figures {
  readonly bytes: number;
  readonly rowsWritten: number;
  readonly rowsRead: number;
}

/** Measured, with keys of 16 characters: `test/db/written.test.ts` holds them. With its rows of the journal. */
export const ON_A_STREET = {
  session: { bytes: 201, rowsWritten: 4, rowsRead: 12 },
  extension: { bytes: 226, rowsWritten: 5, rowsRead: 20 },
  cancellation: { bytes: 277, rowsWritten: 5, rowsRead: 21 },
} as const satisfies Readonly<Record<string, Figures>>;

/** A facility's sessions stand in the index of its entitlement list as well. */
export const IN_A_FACILITY = {
  session: { bytes: 371, rowsWritten: 7, rowsRead: 15 },
  extension: { bytes: 193, rowsWritten: 6, rowsRead: 19 },
  cancellation: { bytes: 254, rowsWritten: 6, rowsRead: 20 },
} as const satisfies Readonly<Record<string, Figures>>;

/** A plate check's row of the log, and what the check reads of a plate with a session. */
export const CHECK = { bytes: 205, rowsWritten: 2, rowsRead: 8 } as const satisfies Figures;
