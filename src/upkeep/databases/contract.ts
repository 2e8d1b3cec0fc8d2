import * as z from 'zod';
import { code, count } from '../../serving/http/response-fields.ts';

/** More than an account may have, and more municipalities than any country has. */
const MAX_DATABASES = 50_000;
const MAX_MUNICIPALITIES = 100_000;

const databaseFields = z
  .object({
    name: code.describe('The name of its binding. The home is `DB`.'),
    municipalities: z.array(code).max(MAX_MUNICIPALITIES).describe('Codes, in order.'),
    size_bytes: count
      .nullable()
      .describe(
        'Its size in bytes. Null: it is away, and its municipalities are those of the home’s directory.',
      ),
  })
  .meta({ id: 'Database', description: 'A database and the municipalities that live in it.' });

export const databaseList = z
  .object({ databases: z.array(databaseFields).max(MAX_DATABASES).describe('The databases.') })
  .meta({ id: 'DatabaseList', description: 'All databases, the home first.' });

export type DatabaseContents = z.infer<typeof databaseFields>;
