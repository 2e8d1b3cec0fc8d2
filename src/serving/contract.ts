import type * as z from 'zod';
import type { ErrorCode } from '../base/errors/error-codes.ts';
import type { AdminAction, OperationName } from '../storage/call-log/operation-names.ts';
import type { BudgetName, Scope } from './access/scopes.ts';

/** Who may call an operation. */
export type Access = { readonly by: 'anybody' } | AdministratorAccess | CredentialAccess;

/** `Authorization: Bearer` with the Worker's secret `ADMIN_TOKEN`, or with the token of a credential that is an office. */
export interface AdministratorAccess {
  readonly by: 'administrator';
  /** What an office may do there: nothing; read (scopes `office` and `office_read`); change (scope `office` alone). */
  readonly office: 'nothing' | 'reads' | 'changes';
}

export interface CredentialAccess {
  readonly by: 'credential';
  /** Null: every credential may call it. */
  readonly scope: Scope | null;
  /** The budget from which each admitted call takes one. */
  readonly budget: BudgetName;
  /** Whether `X-Service-Token` and `X-Api-Key` are accepted as well as `Authorization`. */
  readonly tokenHeaders?: 'all';
  /** Whether it imports more than one source's sessions: a credential bound to a source may not call it. */
  readonly importsBeyondSource?: true;
}

/** A JSON object. Where it is optional, an absent one counts as `{}`. */
export interface JsonBody {
  readonly kind: 'json';
  readonly schema: z.ZodObject;
  readonly maxBytes: number;
  readonly optional?: true;
}

/** Newline-delimited JSON, for the handler to read. */
export interface LinesBody {
  readonly kind: 'lines';
  readonly maxBytes: number;
}

/** The answer of an operation that answers lines. */
interface Lines {
  /** One of the kinds of line. */
  readonly line: z.ZodUnion<readonly z.ZodObject[]>;
}

/** How a call is kept in the call log. */
type LogRule = {
  /** Request and response are kept whole, in a row that is stored before the answer leaves. */
  readonly whole?: true;
  /** The target of the action, if the path names it; also for a refused call. */
  readonly target?: (pathParameters: Readonly<Record<string, string>>) => string | null;
} & (
  | { readonly operation: 'admin'; readonly action: AdminAction }
  | { readonly operation: Exclude<OperationName, 'admin'>; readonly action?: never }
);

/** What is promised of an operation. The description, the clients' types and the shared tests are made from it. */
export interface Contract {
  /** Names it in the description. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** As Hono has it: `/calls/:request_id`. */
  readonly path: string;
  readonly access: Access;
  /** Past it, in milliseconds, the answer is `TEMPORARY_ERROR`. */
  readonly deadlineMs: number;
  readonly body?: JsonBody | LinesBody;
  readonly query?: z.ZodObject;
  readonly pathParameters?: z.ZodObject;
  /** What follows the envelope, or the lines; null for a file that was deployed with the Worker. */
  readonly answer: z.ZodObject | Lines | null;
  /** That of an object without the envelope: the request id is in the header alone, as with lines. */
  readonly mediaType?: 'application/json' | 'application/geo+json';
  /** That of its success, where it is not 200. */
  readonly status?: 201;
  /** The codes that it answers besides those that follow from its access and its body. */
  readonly errors?: readonly ErrorCode[];
  /** How pages of other origins may call it: the headers that they may read. */
  readonly crossOrigin?: { readonly exposeHeaders: readonly string[] };
  /** Headers of every answer of its path, whatever the status. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether clients may keep the answer, and ask whether it still holds. */
  readonly cached?: true;
  /** Absent: its calls have their structured line alone. */
  readonly log?: LogRule;
  /** Whether it records who looked, as everything does that an office may call: see {@link takesOfficer}. */
  readonly takesOfficer?: true;
}

/** Whether an operation records who looked, by the header `Officer-Reference`. */
export const takesOfficer = ({ access, takesOfficer: taken }: Contract): boolean =>
  taken === true || (access.by === 'administrator' && access.office !== 'nothing');
