import * as z from 'zod';
import { code, count, utcDateTime } from '../../serving/http/response-fields.ts';
import { MAX_LATE_SOURCES, MAX_MOVES } from './status-table.ts';

/** Far more databases than the platform lets a Worker bind. */
const MAX_DATABASES = 50_000;

const databaseStatus = z
  .object({
    name: code.describe('The name of its binding. The home is `DB`.'),
    size_bytes: count.nullable().describe('How large it is, in bytes. Null: it is away.'),
    schema: count.nullable().describe('The number of its newest migration. Null: it is away.'),
    reachable: z.boolean().describe('Whether it answers.'),
  })
  .meta({ id: 'DatabaseStatus', description: 'A database, as it is now.' });

const lateSource = z
  .object({
    municipality_code: code.describe('The municipality.'),
    source_code: code.describe('The source.'),
    status: z
      .enum(['stale', 'error'])
      .describe('`error`: its last import failed; `stale`: none succeeded for too long.'),
    last_successful_at: utcDateTime.nullable().describe('When an import last succeeded, in UTC.'),
  })
  .meta({ id: 'LateSource', description: 'An active source whose sessions are not up to date.' });

const moveStatus = z
  .object({
    municipality_code: code.describe('The municipality that moves.'),
    to: code.describe('The database where it goes.'),
    state: z.enum(['copying', 'cleaning', 'calling_off']).describe('How far it has come.'),
  })
  .meta({ id: 'MoveStatus', description: 'A move that is under way.' });

export const statusResponse = z
  .object({
    version: z.string().max(36).describe('The id of the deployed version that answers.'),
    databases: z.array(databaseStatus).max(MAX_DATABASES).describe('The databases, the home first.'),
    late_sources: z.array(lateSource).max(MAX_LATE_SOURCES).describe('Sources that are late, the first 200.'),
    snapshots: z
      .object({
        oldest_at: utcDateTime.nullable().describe('No snapshot is older, in UTC. Null: not known yet.'),
      })
      .describe('What reports and public pages answer from.'),
    retention: z
      .object({
        last_run_at: utcDateTime.nullable().describe('When it ran last, in UTC. Null: not yet.'),
        behind: z
          .boolean()
          .describe('Whether that run left rows that are past their time, or none has run for two hours.'),
      })
      .describe('The hourly deletion.'),
    moves: z.array(moveStatus).max(MAX_MOVES).describe('Moves that are under way.'),
    failing: z
      .array(z.string().max(80))
      .max(20)
      .describe(
        'Secrets that are missing or too short, and variables that cannot be read: `secret:DIGEST_KEY`.',
      ),
  })
  .meta({ id: 'StatusResponse', description: 'What an operator asks first.' });

/** What an operator asks first, in the form in which it is answered. */
export type Status = z.infer<typeof statusResponse>;
export type DatabaseStatus = z.infer<typeof databaseStatus>;
export type LateSource = z.infer<typeof lateSource>;
export type MoveStatus = z.infer<typeof moveStatus>;
