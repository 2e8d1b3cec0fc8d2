import { OPERATIONS } from '../../types/operations.ts';
import { type Caller, expectedOf, illFormed, queryOf } from '../caller.ts';
import type { Expected } from '../calls/judge.ts';
import type { Answer } from '../operation-types.ts';
import type { Result } from '../result.ts';
import type { CallOptions } from '../settings.ts';
import { isWellFormed } from '../well-formed.ts';
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

const LINES_TYPE = 'application/x-ndjson';
/** The service's own limit for a part, and some seconds for the network. */
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
export async function backUpMunicipality(
  caller: Caller,
  { code, after }: BackupInput,
  options: CallOptions,
): Promise<Result<BackupPart>> {
  if (!isWellFormed({ code, after })) return illFormed();
  const { method, path, access } = OPERATIONS.backUpMunicipality;
  const call = {
    method,
    path: path.replace('{code}', encodeURIComponent(code)) + queryOf({ after }),
    access,
    accept: `${LINES_TYPE}, application/json`,
    budgetMs: 35_000,
    repeatable: true,
  } as const;
  return caller.make(call, PART, options);
}

/** Sends the next part of a backup. Retries after a lost answer: the same part again changes nothing. */
export async function restoreMunicipality(
  caller: Caller,
  { code, part, ...query }: RestoreInput,
  options: CallOptions,
): Promise<Result<Answer<'restoreMunicipality'>>> {
  if (!isWellFormed({ code, part, ...query })) return illFormed();
  const operation = OPERATIONS.restoreMunicipality;
  const call = {
    method: operation.method,
    path: operation.path.replace('{code}', encodeURIComponent(code)) + queryOf(query),
    access: operation.access,
    contentType: LINES_TYPE,
    body: part,
    budgetMs: RESTORE_BUDGET_MS,
    repeatable: true,
  } as const;
  return caller.make(call, expectedOf<'restoreMunicipality'>(operation), options);
}
