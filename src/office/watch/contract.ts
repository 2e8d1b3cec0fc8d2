import * as z from 'zod';
import type { Contract } from '../../serving/contract.ts';
import { code, count, utcDateTime } from '../../serving/http/response-fields.ts';
import { MAX_LATE_SOURCES } from './status-table.ts';

const databaseStatus = z
  .object({
    size_bytes: count.nullable().describe('Its size, in bytes. Null: the database cannot be reached.'),
    schema: count
      .nullable()
      .describe('The number of its newest migration. Null: the database cannot be reached.'),
  })
  .meta({ id: 'DatabaseStatus', description: 'The state of the database.' });

const lateSource = z
  .object({
    municipality_code: code.describe('The municipality.'),
    source_code: code.describe('The source.'),
    status: z
      .enum(['stale', 'error'])
      .describe('`error`: its last import failed. `stale`: no import has succeeded for too long.'),
    last_successful_at: utcDateTime
      .nullable()
      .describe('Its last successful import, in UTC. Null: there was none.'),
  })
  .meta({ id: 'LateSource', description: 'An active source whose sessions are not up to date.' });

const statusResponse = z
  .object({
    version: z.string().max(36).describe('The id of the deployed version.'),
    database: databaseStatus.describe('The database.'),
    late_sources: z.array(lateSource).max(MAX_LATE_SOURCES).describe('The first 200 late sources.'),
    snapshots: z
      .object({
        oldest_at: utcDateTime.nullable().describe('No snapshot is older than this, in UTC. Null: unknown.'),
      })
      .describe('The snapshots for reports and public pages.'),
    retention: z
      .object({
        last_run_at: utcDateTime.nullable().describe('Its last run, in UTC. Null: there was none.'),
        behind: z.boolean().describe('Whether that run left expired rows, or no run was within two hours.'),
      })
      .describe('The hourly deletion.'),
    failing: z
      .array(z.string().max(80))
      .max(20)
      .describe('Secrets that are missing or too short, and unreadable variables: `secret:DIGEST_KEY`.'),
  })
  .meta({ id: 'StatusResponse', description: 'The state of the service.' });

export type Status = z.infer<typeof statusResponse>;
export type LateSource = z.infer<typeof lateSource>;

/** What an operator asks first: the database, late sources, snapshots, retention, wrong settings. */
export const getStatus = {
  id: 'getStatus',
  method: 'GET',
  path: '/api/v2/admin/status',
  access: { by: 'administrator', office: 'nothing' },
  deadlineMs: 10_000,
  answer: statusResponse,
} as const satisfies Contract;
