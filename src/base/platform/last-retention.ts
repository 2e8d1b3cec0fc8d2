import * as z from 'zod';
import { kvNote, notedInstant } from './kv-note.ts';

/** When retention ran last, and whether it left anything that is past its time. */
export const lastRetention = kvNote(
  'retention',
  z.strictObject({ version: z.literal(1), at: notedInstant, behind: z.boolean() }),
);
