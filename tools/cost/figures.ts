/** The cost of one change in D1: the bytes that it keeps, and the billed rows, index entries included. */
export interface Figures {
  readonly bytes: number;
  readonly rowsWritten: number;
  readonly rowsRead: number;
}

/**
 * Measured, with keys of 16 characters: `test/db/written.test.ts` holds them. They include the replaced version. An extension
 * moves its entry of the index by end between others, whose full pages split: 121 bytes with 2,000 sessions, 142 with 20,000.
 */
export const SESSIONS = {
  session: { bytes: 179, rowsWritten: 5, rowsRead: 4 },
  extension: { bytes: 145, rowsWritten: 7, rowsRead: 6 },
  cancellation: { bytes: 135, rowsWritten: 7, rowsRead: 6 },
} as const satisfies Readonly<Record<string, Figures>>;

/** A plate check's row of the log, and the rows that it reads for a plate with a session. */
export const CHECK = { bytes: 205, rowsWritten: 2, rowsRead: 11 } as const satisfies Figures;
