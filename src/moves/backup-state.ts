import * as z from 'zod';
import { refuse } from '../errors/refusal.ts';

const sequence = z.int().min(0);

/** How far a backup has come between two of its parts: what its `after` holds. */
const backupState = z.strictObject({
  id: z.uuid(),
  /** How many parts there are already. */
  parts: sequence,
  municipality: z.string(),
  /** Where it lives, and in which stay: the journal's numbers are of that database. */
  database: z.string(),
  stay: sequence,
  begunAt: sequence,
  /** The newest digest of an erased plate when it was begun. */
  erasedUpTo: sequence,
  /** The newest row of the journal, of any municipality: where it is gone, the database was put back to an earlier time. */
  newest: z.strictObject({ sequence, stamp: sequence }),
  step: z.enum(['copy', 'erased', 'end', 'done']),
  /** How far the copy has come, as a move keeps it. */
  copy: z.strictObject({
    step: z.enum(['configuration', 'subscriptions', 'journal']),
    subscription: z.string(),
    sequence,
    begunAt: sequence,
    configuredAt: sequence,
    sessions: z.strictObject({
      upTo: sequence,
      newest: z.strictObject({ id: sequence, key: z.string() }).nullable(),
    }),
  }),
  /** The key of the last digest of an erased plate. */
  erased: z.array(z.string()),
  /** Where there are too many subscriptions without a plate for the end: they are gone through, again and again. */
  plateless: z
    .strictObject({
      /** When going through them began. */
      begunAt: sequence,
      /** Those that have changed since are read. */
      since: sequence,
      /** The number of the last one that was read; empty at the beginning. */
      after: z.string(),
    })
    .optional(),
});
export type BackupState = z.infer<typeof backupState>;

const encoder = new TextEncoder();

export const afterOf = (state: BackupState): string =>
  encoder.encode(JSON.stringify(state)).toBase64({ alphabet: 'base64url', omitPadding: true });

/** @throws Refusal `CURSOR_GONE` for what this version has not made */
export function stateOf(after: string): BackupState {
  try {
    const bytes = Uint8Array.fromBase64(after, { alphabet: 'base64url' });
    return backupState.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    refuse('CURSOR_GONE');
  }
}
