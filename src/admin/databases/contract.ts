import * as z from 'zod';
import { code, count } from '../../http/response-fields.ts';
import { storedCode } from '../fields.ts';

/** More than an account may have, and more municipalities than any country has. */
const MOST_DATABASES = 50_000;
const MOST_MUNICIPALITIES = 100_000;

const databaseFields = z
  .object({
    name: code.describe('The name of its binding. The home is `DB`.'),
    municipalities: z.array(code).max(MOST_MUNICIPALITIES).describe('Codes, in order.'),
    size_bytes: count
      .nullable()
      .describe(
        'How large it is, in bytes. Null: it is away, and its municipalities are those of the home’s directory.',
      ),
  })
  .meta({ id: 'Database', description: 'A database, and the municipalities that live in it.' });

export const databaseList = z
  .object({ databases: z.array(databaseFields).max(MOST_DATABASES).describe('The databases.') })
  .meta({ id: 'DatabaseList', description: 'All databases, the home first.' });

/** Whatever stands there: what is no municipality's code is not found. */
export const movePath = z.object({
  code: z.string().meta({ maxLength: 320 }).describe('The municipality’s code.'),
});

export const callOffAnswer = z
  .object({
    state: z
      .enum(['calling_off', 'called_off'])
      .describe(
        '`calling_off`: its copy is being deleted; repeat the call. `called_off`: nothing is left to do.',
      ),
  })
  .meta({ id: 'CallOffResponse', description: 'How far the calling off of a move has come.' });

export const moveRequest = z
  .strictObject({
    to: storedCode().describe('The name of a database, as the list of databases has it.'),
  })
  .meta({ id: 'MoveRequest', description: 'Where a municipality is to go.' });

export const MOVE_STATES = ['copying', 'switching', 'cleaning', 'done'] as const;

export const moveAnswer = z
  .object({
    state: z
      .enum(MOVE_STATES)
      .describe(
        '`copying`: its rows are being copied, while everything goes on. `switching`: for some seconds its imports, configuration and erasures are 503. `cleaning`: it lives in its new database, and the old copy is being deleted. `done`.',
      ),
    copied: count.describe('Rows that have been copied.'),
    remaining: count.describe(
      'Rows of the old database’s journal that are still to be looked at, whosever they are.',
    ),
  })
  .meta({ id: 'MoveResponse', description: 'How far a move has come.' });

export type DatabaseContents = z.infer<typeof databaseFields>;
export type CallOffAnswer = z.infer<typeof callOffAnswer>;
export type MoveAnswer = z.infer<typeof moveAnswer>;
