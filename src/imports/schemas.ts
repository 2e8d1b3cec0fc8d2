import * as z from 'zod';
import { code } from './fields.ts';
import { LINE_CODES } from './rejection.ts';

/** Newline-delimited JSON: a JSON object a line. */
export const NDJSON = 'application/x-ndjson';

/** The query of a subscription import: the municipality, where the credential leaves a choice. */
export const subscriptionImportQuery = z.object({ municipality_code: code.optional() });

/** The query of a session import: the source too, where the credential is bound to none. */
export const sessionImportQuery = subscriptionImportQuery.extend({ source_code: code.optional() });

const count = z.int().min(0);

/** What an import answers behind the envelope. Each line received is counted once below it. */
export const importResponse = z.object({
  received: count,
  created: count,
  updated: count,
  unchanged: count,
  rejected: count,
  /** The first 100 rejected lines, in the order of the file. */
  errors: z.array(z.object({ line: z.int().min(1), code: z.enum(LINE_CODES), message: z.string() })),
});

export type ImportResponse = z.infer<typeof importResponse>;
