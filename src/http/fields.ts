import * as z from 'zod';

/** An optional text of a query: null, and a blank one, are the same as absent. */
export const optionalText = z
  .string()
  .trim()
  .nullish()
  .transform((text) => text || undefined);
