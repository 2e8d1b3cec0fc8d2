import { type Caller, expectedOf, LINES_TYPE } from '../caller.ts';
import type { Expected } from '../calls/judge.ts';
import type { Answer } from '../operation-types.ts';
import type { Result } from '../result.ts';
import type { CallOptions } from '../settings.ts';
import { type BackupPart, readBackupPart } from './part.ts';

export interface BackupInput {
  /** The municipality's code. */
  readonly code: string;
  /** The `after` of the previous part. Without it, the first part of a new backup. */
  readonly after?: string;
}

export interface RestoreInput {
  /** The municipality's code. */
  readonly code: string;
  /** The tenant to restore to. */
  readonly tenant: string;
  /** As it was answered. */
  readonly part: string;
}

/** The service's own limits for a part, and some seconds for the network. */
const BACKUP_BUDGET_MS = 35_000;
const RESTORE_BUDGET_MS = 90_000;

const PART: Expected<BackupPart> = {
  status: 200,
  contentType: LINES_TYPE,
  read: (text) => {
    const part = readBackupPart(text);
    return part === null ? null : { answer: part, requestId: null };
  },
};

/** The next part of a backup. Retries an incomplete one. */
export const backUpMunicipality = (
  caller: Caller,
  input: BackupInput,
  options: CallOptions,
): Promise<Result<BackupPart>> =>
  caller.call('backUpMunicipality', { ...input }, { expected: PART, budgetMs: BACKUP_BUDGET_MS }, options);

/** Sends the next part of a backup. Retries after a lost answer: the same part again changes nothing. */
export const restoreMunicipality = (
  caller: Caller,
  { part: body, ...input }: RestoreInput,
  options: CallOptions,
): Promise<Result<Answer<'restoreMunicipality'>>> => {
  const expected = expectedOf('restoreMunicipality');
  return caller.call('restoreMunicipality', input, { expected, body, budgetMs: RESTORE_BUDGET_MS }, options);
};
