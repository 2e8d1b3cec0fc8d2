import * as z from 'zod';
import { code, count } from '../../http/response-fields.ts';

/** A database that is bound, and what lives in it. */
export const databaseFields = z.object({
  name: code,
  municipalities: z.array(code),
  size_bytes: count,
});
export const databaseList = z.object({ databases: z.array(databaseFields) });
