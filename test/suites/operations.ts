import type { CredentialAccess, Contract as Operation } from '../../src/serving/contract.ts';
import { bodyMediaType, type DescribedOperation } from '../../tools/description/document/openapi/parts.ts';
import { FACILITY } from '../support/seed.ts';
import { rightAnswerOf } from './right-answers.ts';

const described = import.meta.glob<{ DESCRIPTION: readonly DescribedOperation[] }>(
  '../../tools/description/document/operations/*.ts',
  { eager: true },
);

/** All operations of the service, with their words. */
export const DESCRIBED = Object.values(described).flatMap(({ DESCRIPTION }) => DESCRIPTION);
/** All operations of the service: their contracts. */
export const OPERATIONS: readonly Operation[] = DESCRIBED.map(({ of }) => of);

/** An operation that a credential calls, as the shared suites see it. */
export interface CredentialOperation extends Omit<CredentialAccess, 'by'> {
  readonly name: string;
  readonly of: Operation;
  readonly method: string;
  /** With the query that every call needs. */
  readonly path: string;
  readonly contentType: string;
  /** A body that is answered with a success. */
  readonly body: string;
  readonly takesBody: boolean;
  /** Whether it answers lines, of which none has the envelope. */
  readonly answersLines: boolean;
  readonly maxBytes: number;
  /** Whether pages of any origin may call it, preflight included. */
  readonly crossOrigin: boolean;
}

export const CREDENTIAL_OPERATIONS: readonly CredentialOperation[] = OPERATIONS.flatMap((of) => {
  const { access, body, method } = of;
  const right = rightAnswerOf(of).body?.(0) ?? '';
  return access.by === 'credential'
    ? {
        ...access,
        name: of.id,
        of,
        method,
        path: calledPath(of).replace(':area_code', FACILITY.code),
        contentType: bodyMediaType(of) ?? '',
        body: typeof right === 'string' ? right : JSON.stringify(right),
        takesBody: body !== undefined,
        answersLines: of.answer !== null && 'line' in of.answer,
        maxBytes: body?.maxBytes ?? 0,
        crossOrigin: of.crossOrigin !== undefined,
      }
    : [];
});

/** An operation that the administrator calls. */
interface AdminOperation {
  readonly of: Operation;
  readonly method: string;
  /** Its parameters are of the right form, and of nothing that is there. */
  readonly path: string;
  /** The header `Allow` of its path. */
  readonly allow: string;
  /** Whether it needs a body. */
  readonly takesBody: boolean;
  readonly maxBytes: number;
}

export const ADMIN_OPERATIONS: readonly AdminOperation[] = OPERATIONS.filter(
  ({ access }) => access.by === 'administrator',
).map((of) => ({
  of,
  method: of.method,
  path: calledPath(of).replaceAll(/:\w+/g, '0123456789ab'),
  allow: OPERATIONS.filter(({ path }) => path === of.path)
    .map(({ method }) => method)
    .sort()
    .join(', '),
  takesBody: of.body?.kind === 'json' && of.body.optional !== true,
  maxBytes: of.body?.maxBytes ?? 0,
}));

function calledPath(operation: Operation): string {
  const query = new URLSearchParams(rightAnswerOf(operation).query).toString();
  return query === '' ? operation.path : `${operation.path}?${query}`;
}
