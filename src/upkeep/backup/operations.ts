import { IMPORT_BODY, readBody, requireWhole } from '../../serving/http/body.ts';
import { LinesText, operation } from '../../serving/pipeline/operation.ts';
import type { CallContext } from '../../serving/pipeline/reading.ts';
import type { AdminAction } from '../../storage/call-log/call-record.ts';
import { readBackupPart } from './back-up.ts';
import {
  backupQuery,
  discardAnswer,
  municipalityPath,
  partOfBackup,
  restoreAnswer,
  restoreQuery,
} from './contract.ts';
import { discardRestore, restorePart } from './restore.ts';
import { readSentPart } from './store-part.ts';

const MUNICIPALITY = '/api/v2/admin/municipalities/:code';

const common = {
  access: { by: 'administrator', office: 'nothing' },
  // A part takes five seconds at most, but a database may be slow.
  deadlineMs: 10_000,
  pathParameters: municipalityPath,
} as const;

/** Logs a call, refused or not, with the municipality in its path. */
const logAs = (action: AdminAction) => ({
  operation: 'admin' as const,
  action,
  target: ({ code = '' }: Readonly<Record<string, string>>) => code,
});

const workOn = async <Answer>(code: string, { deadline }: CallContext, work: () => Promise<Answer>) => ({
  answer: await deadline.race(work()),
  municipality: code,
});

/** Returns the next part of a municipality's backup. */
export const backUp = operation({
  ...common,
  id: 'backUpMunicipality',
  method: 'GET',
  path: `${MUNICIPALITY}/backup`,
  query: backupQuery,
  answer: partOfBackup,
  envelope: false,
  errors: ['NOT_FOUND', 'CURSOR_GONE'],
  log: logAs('municipality.backup'),
  handle: ({ path: { code }, query: { after } }, context) =>
    workOn(code, context, async () => new LinesText(await readBackupPart(context, code, after))),
});

/** Restores the next part of a municipality's backup. */
export const restore = operation({
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
  handle: ({ source, path: { code }, readQuery }, context) =>
    workOn(code, context, async () => {
      const part = await readSentPart(requireWhole(await readBody(source, IMPORT_BODY), IMPORT_BODY));
      return restorePart(context, code, await readQuery(), part);
    }),
});

/** Discards a restore that is under way, a bounded part per call. */
export const discard = operation({
  ...common,
  id: 'discardRestore',
  method: 'DELETE',
  path: `${MUNICIPALITY}/restore`,
  answer: discardAnswer,
  errors: ['NOT_FOUND'],
  log: logAs('municipality.discard_restore'),
  handle: ({ path: { code } }, context) => workOn(code, context, () => discardRestore(context.env, code)),
});
