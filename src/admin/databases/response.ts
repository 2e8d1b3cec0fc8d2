import * as z from 'zod';
import { code, count } from '../../http/response-fields.ts';

/** More than an account may have, and more municipalities than any country has. */
const MOST_DATABASES = 50_000;
const MOST_MUNICIPALITIES = 100_000;

/** A database that is bound, and what lives in it. */
export const databaseFields = z.object({
  name: code,
  municipalities: z.array(code).max(MOST_MUNICIPALITIES),
  size_bytes: count.nullable(),
});
export type DatabaseContents = z.infer<typeof databaseFields>;
export const databaseList = z.object({ databases: z.array(databaseFields).max(MOST_DATABASES) });

export const MOVE_STATES = ['copying', 'switching', 'cleaning', 'done'] as const;

/** How far a move has come. */
export const moveAnswer = z.object({ state: z.enum(MOVE_STATES), copied: count, remaining: count });
export type MoveAnswer = z.infer<typeof moveAnswer>;
