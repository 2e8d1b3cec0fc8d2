import * as z from 'zod';
import { count } from '../http/response-fields.ts';
import { code } from './fields.ts';
import { LINE_CODES } from './rejection.ts';

/** The query of a subscription import: the municipality, where the credential leaves a choice. */
export const subscriptionImportQuery = z.object({ municipality_code: code.optional() });

/** The query of a session import: the source too, where the credential is bound to none. */
export const sessionImportQuery = subscriptionImportQuery.extend({ source_code: code.optional() });

/** A line that the import refuses. */
export const rejectedLine = z.object({
  line: z.int().min(1),
  code: z.enum(LINE_CODES),
  message: z.string().max(2_000),
});

/** What an import answers behind the envelope. Each line received is counted once below it. */
export const importResponse = z.object({
  received: count,
  created: count,
  updated: count,
  unchanged: count,
  rejected: count,
  /** The first 100 rejected lines, in the order of the file. */
  errors: z.array(rejectedLine).max(100),
});

export type SubscriptionImportQuery = z.infer<typeof subscriptionImportQuery>;
export type SessionImportQuery = z.infer<typeof sessionImportQuery>;
export type ImportResponse = z.infer<typeof importResponse>;
