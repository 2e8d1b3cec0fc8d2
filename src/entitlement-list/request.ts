import * as z from 'zod';
import { optionalText } from '../http/fields.ts';
import { customIssue } from '../http/validation.ts';

/** The most lines of an answer, and how many it has unless the caller says. */
const MOST_LINES = 10_000;
const DEFAULT_LINES = 5_000;

const NO_LIMIT = customIssue({
  en: `must be a whole number from 1 to ${MOST_LINES}`,
  it: `deve essere un numero intero da 1 a ${MOST_LINES}`,
});

/** Any text: what is no code of an active facility is not found. */
export const listPath = z.object({ area_code: z.string().min(1) });

/** Other parameters are ignored. */
export const listQuery = z.object({
  municipality_code: optionalText,
  /** Any text: one that the service did not make is gone. */
  cursor: optionalText,
  limit: optionalText
    .refine((text) => text === undefined || (/^[0-9]{1,5}$/.test(text) && isLimit(Number(text))), {
      params: NO_LIMIT,
    })
    .transform((text) => (text === undefined ? DEFAULT_LINES : Number(text)))
    .meta({ pattern: '^[0-9]{1,5}$', maxLength: 5 }),
});

const isLimit = (lines: number): boolean => lines >= 1 && lines <= MOST_LINES;

export type ListQuery = z.infer<typeof listQuery>;
