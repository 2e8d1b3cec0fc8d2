import * as z from 'zod';
import { optionalText } from '../../base/forms/fields.ts';
import { storedCode } from '../../serving/administration/fields.ts';
import type { Contract } from '../../serving/contract.ts';
import { IMPORT_BODY } from '../../serving/http/body.ts';
import { code, count, utcDateTime } from '../../serving/http/response-fields.ts';
import type { AdminAction } from '../../storage/call-log/operation-names.ts';
import { NAME_LENGTH } from '../../storage/db/schema/columns.ts';

/** Any text: an unknown code is `NOT_FOUND`, not invalid. */
const municipalityPath = z.object({
  code: z.string().meta({ maxLength: 320 }).describe('The municipality’s code.'),
});

const AFTER_LENGTH = 4_000;

const backupQuery = z.strictObject({
  after: optionalText.describe('The `after` of the previous part. Absent: a new backup begins.'),
});

export const backupLine = z
  .object({
    type: z.literal('backup').describe('Always `backup`.'),
    format: z.literal(1).describe('The version of the format.'),
    schema: count.describe('The newest migration: an earlier version of the service cannot restore it.'),
    backup_id: z.uuid().describe('The same in all parts of a backup.'),
    part: z.int().min(1).describe('The number of this part.'),
    begun_at: utcDateTime.describe('When the backup was begun.'),
    tenant: code.describe('The tenant’s code.'),
    municipality_code: code.describe('The municipality.'),
    after: z
      .string()
      .max(AFTER_LENGTH)
      .nullable()
      .describe('The `after` of the previous part. Null in the first.'),
    digest_keys: z
      .array(z.string().max(100))
      .max(100)
      .describe('Check values of the keys of `DIGEST_KEY`: a restore needs all of those keys.'),
    columns: z
      .record(z.string().max(NAME_LENGTH), z.array(z.string().max(NAME_LENGTH)).max(100))
      .describe('The names of the values in a row, for each kind of row.'),
  })
  .meta({ id: 'BackupHeader', description: 'The first line of a part.' });

export const backupRow = z
  .object({
    type: z.literal('row').describe('Always `row`.'),
    kind: z.string().min(1).max(NAME_LENGTH).describe('The kind of row, one of those in `columns`.'),
    values: z.array(z.unknown()).max(100).describe('Its values, in the order of `columns`.'),
  })
  .meta({ id: 'BackupRow', description: 'A row.' });

export const partLine = z
  .object({
    type: z.literal('part').describe('Always `part`: the part is whole.'),
    after: z.string().min(1).max(AFTER_LENGTH).describe('Send it as `after` for the next part.'),
    more: z.boolean().describe('Whether there is a next part. If not, the backup is whole.'),
  })
  .meta({ id: 'BackupPartEnd', description: 'The last line of a part.' });

/** A line of a backup that is restored, for the description. */
export const sentLine = z
  .looseObject({
    type: z.enum(['backup', 'row', 'part']).describe('The kind of line. Send the rest as it was answered.'),
  })
  .meta({ id: 'BackupLine', description: 'A line of a part of a backup.' });

const restoreQuery = z.strictObject({
  tenant: storedCode().describe('The code of the tenant that gets the municipality.'),
});

const restoreAnswer = z
  .object({
    state: z
      .enum(['restoring', 'done'])
      .describe('`restoring`: send the next part, or the last one again. `done`: it is back.'),
    restored: count.describe('Rows restored so far, from all parts.'),
  })
  .meta({ id: 'RestoreResponse', description: 'The progress of a restore.' });

const discardAnswer = z
  .object({
    state: z.enum(['discarding', 'done']).describe('`discarding`: repeat the call.'),
  })
  .meta({ id: 'DiscardRestoreResponse', description: 'The progress of discarding a restore.' });

export type BackupHeader = z.infer<typeof backupLine>;
export type PartEnd = z.infer<typeof partLine>;
export type RestoreAnswer = z.infer<typeof restoreAnswer>;
export type DiscardAnswer = z.infer<typeof discardAnswer>;

const MUNICIPALITY = '/api/v2/admin/municipalities/:code';

const common = {
  access: { by: 'administrator', office: 'nothing' },
  takesOfficer: true,
  // A part takes two seconds at most, but a database may be slow.
  deadlineMs: 10_000,
  pathParameters: municipalityPath,
} as const;

/** Logs a call, refused or not, with the municipality in its path. */
const logAs = (action: AdminAction) => ({
  operation: 'admin' as const,
  action,
  target: ({ code = '' }: Readonly<Record<string, string>>) => code,
});

/** Returns the next part of a municipality's backup. */
export const backUp = {
  ...common,
  id: 'backUpMunicipality',
  method: 'GET',
  path: `${MUNICIPALITY}/backup`,
  query: backupQuery,
  answer: { line: z.union([backupLine, backupRow, partLine]) },
  errors: ['NOT_FOUND', 'CURSOR_GONE'],
  log: logAs('municipality.backup'),
} as const satisfies Contract;

/** Restores the next part of a municipality's backup. */
export const restore = {
  ...common,
  id: 'restoreMunicipality',
  method: 'POST',
  path: `${MUNICIPALITY}/restore`,
  // A part takes dozens of transactions.
  deadlineMs: 60_000,
  query: restoreQuery,
  body: { kind: 'lines', maxBytes: IMPORT_BODY },
  answer: restoreAnswer,
  errors: ['RESTORE_CONFLICT'],
  log: logAs('municipality.restore'),
} as const satisfies Contract;

/** Discards a restore that is under way, a bounded part per call. */
export const discard = {
  ...common,
  id: 'discardRestore',
  method: 'DELETE',
  path: `${MUNICIPALITY}/restore`,
  answer: discardAnswer,
  errors: ['NOT_FOUND'],
  log: logAs('municipality.discard_restore'),
} as const satisfies Contract;
