import * as z from 'zod';
import { code, count } from '../../http/response-fields.ts';

/** A database that is bound, and what lives in it. */
export const databaseFields = z.object({
  name: code,
  municipalities: z.array(code),
  size_bytes: count,
});
export const databaseList = z.object({ databases: z.array(databaseFields) });

export const MOVE_STATES = ['copying', 'switching', 'cleaning', 'done'] as const;

/** How far a move has come. */
export const moveAnswer = z.object({ state: z.enum(MOVE_STATES), copied: count, remaining: count });
export type MoveAnswer = z.infer<typeof moveAnswer>;
