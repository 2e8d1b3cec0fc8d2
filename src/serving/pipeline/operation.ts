import type * as z from 'zod';
import type { CallSubject } from '../../base/errors/call-subject.ts';
import type { ErrorCode } from '../../base/errors/error-codes.ts';
import type { Refusal } from '../../base/errors/refusal.ts';
import type { AdminAction, OperationName } from '../../storage/call-log/call-record.ts';
import type { AskedScope, BudgetName, Scope } from '../access/credential-record.ts';
import type {
  BoundedCallContext,
  CallContext,
  EarlyCallContext,
  EarlyReading,
  GrantedCallContext,
  MunicipalityCallContext,
  MunicipalityReading,
  Reading,
} from './reading.ts';

/** Who may call an operation. */
export type Access = { readonly by: 'anybody' } | AdministratorAccess | CredentialAccess;

/** `Authorization: Bearer` with the Worker's secret `ADMIN_TOKEN`, or with the token of a credential that is an office. */
export interface AdministratorAccess {
  readonly by: 'administrator';
  /**
   * What an office may do there, within the bounds that its handler gets: nothing; read (scopes `office` and `office_read`);
   * change (scope `office` alone).
   */
  readonly office: 'nothing' | 'reads' | 'changes';
  /**
   * Whether an office's call is admitted while the database cannot say if its tenant is active: by default it
   * fails.
   */
  readonly whenDatabaseIsAway?: 'go_on';
}

export interface CredentialAccess {
  readonly by: 'credential';
  /** Null: every credential may call it. */
  readonly scope: Scope | null;
  /** The budget from which each admitted call takes one. */
  readonly budget: BudgetName;
  /** Whether `X-Service-Token` and `X-Api-Key` are accepted as well as `Authorization`. */
  readonly tokenHeaders: 'all' | 'authorization_only';
  /** Whether it imports more than one source's sessions: a credential bound to a source may not call it. */
  readonly importsBeyondSource?: true;
}

/** The properties that a credential's admission depends on. */
export interface AdmissionRule extends Omit<CredentialAccess, 'by' | 'scope'> {
  readonly scope: AskedScope | null;
}

const OFFICE_ASKS = { nothing: 'administrator', reads: 'office_read', changes: 'office' } as const;

/** How a credential is admitted to an administrator's operation. */
export const officeRule = ({ office }: AdministratorAccess): AdmissionRule => ({
  scope: OFFICE_ASKS[office],
  budget: 'office',
  tokenHeaders: 'authorization_only',
});

/** A JSON object, read and validated before `handle`. Where it is optional, an absent one counts as `{}`. */
export interface JsonBody<Schema extends z.ZodObject = z.ZodObject> {
  readonly kind: 'json';
  readonly schema: Schema;
  readonly maxBytes: number;
  readonly optional?: true;
}

/** Newline-delimited JSON, for `handle` to read. */
interface LinesBody {
  readonly kind: 'lines';
  readonly maxBytes: number;
}

/** How pages of other origins may call an operation. */
export interface CrossOrigin {
  /** The headers that such a page may read. */
  readonly exposeHeaders: readonly string[];
}

/**
 * How a call is kept in the call log. Null in {@link Operation}: by its structured line alone. What the administrator does has
 * its action.
 */
type LogRule = CommonLogRule &
  (
    | { readonly operation: 'admin'; readonly action: AdminAction }
    | { readonly operation: Exclude<OperationName, 'admin'>; readonly action?: never }
  );

interface CommonLogRule {
  /** The target of the action, if the path names it; also for a refused call. */
  readonly target?: (pathParameters: Readonly<Record<string, string>>) => string | null;
  /**
   * Request and response are kept whole, in a row that is stored before the answer leaves. The answer's time, in
   * milliseconds from the start of the call, includes that.
   */
  readonly whole?: { readonly answerWithinMs: number };
}

/** A JSON object that has been written as text. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A JSON object that clients may keep, as text, with the tag of its version. */
export class VersionedText extends JsonText {
  /** As the header `ETag` has it. */
  readonly etag: string;
  /** How long a client may keep it before it asks whether it still holds. */
  readonly maxAgeSeconds: number;

  constructor(text: string, version: { readonly etag: string; readonly maxAgeSeconds: number }) {
    super(text);
    this.etag = version.etag;
    this.maxAgeSeconds = version.maxAgeSeconds;
  }
}

/** Newline-delimited JSON, as an operation with lines answers it. */
export class LinesText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The answer of an operation that answers lines. */
interface Lines {
  /** One of the kinds of line. */
  readonly line: z.ZodUnion<readonly z.ZodObject[]>;
}

/** A file that was deployed with the Worker. */
interface AssetAnswer {
  readonly path: string;
  readonly contentType: string;
}

/** What a handler found out. */
export interface Answered<Answer extends object = object> extends CallSubject {
  /** The body after the envelope, or the whole body without one. */
  readonly answer: Answer | JsonText | LinesText;
  /** The outcome in the call log; `OK` when absent. */
  readonly outcome?: string;
}

/** A refusal that a handler returns; it may also throw one. */
export interface Refused extends CallSubject {
  readonly refused: Refusal;
}

export type Handled<Answer extends object = object> =
  | Answered<Answer>
  | Refused
  | { readonly asset: AssetAnswer };

/** A request that passed its operation's schemas. */
export interface ValidRequest<Body = unknown, Query = unknown, Path = unknown> {
  readonly body: Body;
  readonly query: Query;
  readonly path: Path;
}

/** A request with a body of lines: `handle` reads the body first, then the query. */
export interface LinesRequest<Query = unknown, Path = unknown> {
  readonly source: Request;
  readonly path: Path;
  /** @throws Refusal `INVALID_REQUEST` */
  readonly readQuery: () => Promise<Query>;
}

type Parsed<Schema> = Schema extends z.ZodType ? z.infer<Schema> : undefined;

type RequestOf<Body, Query, Path> = Body extends LinesBody
  ? LinesRequest<Parsed<Query>, Parsed<Path>>
  : ValidRequest<
      Body extends JsonBody<infer Schema> ? z.infer<Schema> : undefined,
      Parsed<Query>,
      Parsed<Path>
    >;

type ContextOf<Allowed extends Access, Reads> =
  Reads extends MunicipalityReading<never, infer Query, infer Municipality>
    ? MunicipalityCallContext<Query, Municipality>
    : Reads extends EarlyReading<never, infer Early>
      ? EarlyCallContext<Early>
      : Allowed extends CredentialAccess
        ? GrantedCallContext
        : Allowed extends { readonly by: 'administrator'; readonly office: 'reads' | 'changes' }
          ? BoundedCallContext
          : CallContext;

type HandledOf<Schema> = Schema extends z.ZodObject
  ? Answered<z.infer<Schema>> | Refused
  : Schema extends Lines
    ? (CallSubject & { readonly answer: LinesText }) | Refused
    : { readonly asset: AssetAnswer };

/** A call's cost in its budget, once its fields are read. */
interface Cost {
  /** The field that says how much. A value above the credential's limit is refused as wrong. */
  readonly field: string;
  /** At least 1. */
  of(body: never): number;
}

/** The declarations of every operation. */
interface Facts<Allowed, Body, Query, Path, Answer, Reads> {
  /** Names it in the description. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** As Hono has it: `/calls/:request_id`. */
  readonly path: string;
  readonly access: Allowed;
  /** Past it, whatever is awaited fails, and the answer is `TEMPORARY_ERROR`. */
  readonly deadlineMs: number;
  readonly body: Body;
  readonly query: Query;
  readonly pathParameters: Path;
  /** What a credential's operation reads of the call's municipality, or while the admission is being decided. */
  readonly reads: Reads;
  /** What follows the envelope, or the lines; null for an asset. */
  readonly answer: Answer;
  /** Whether its success begins with the envelope; lines never do. Without it, the request id is in the header alone. */
  readonly envelope: boolean;
  /** That of its success, where it is an object. */
  readonly mediaType: 'application/json' | 'application/geo+json';
  readonly status: 200 | 201;
  /** The codes that it answers besides those that follow from its access and its body. */
  readonly errors: readonly ErrorCode[];
  readonly crossOrigin: CrossOrigin | null;
  /** Headers of every answer of its path, whatever the status. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether clients may keep the answer, an asset or a {@link VersionedText}, and ask whether it still holds. */
  readonly cached: boolean;
  readonly log: LogRule | null;
  /** Whether it records who looked, by the header `Officer-Reference`. By default what an office may call does. */
  readonly takesOfficer: boolean;
  /** What a call takes from its budget, as its fields say. Null: one. */
  readonly cost: Cost | null;
}

/**
 * One operation of the service as a value: all that the routes, the pipeline, the description and the shared suites know.
 */
export interface Operation
  extends Facts<
    Access,
    JsonBody | LinesBody | null,
    z.ZodObject | null,
    z.ZodObject | null,
    z.ZodObject | Lines | null,
    Reading
  > {
  /** Takes what the operation's own schemas parsed, and the context of its access. */
  handle(request: never, context: never): Promise<Handled>;
}

/** Operations in a module of their own, which the first call below a path loads: an isolate starts without them. */
interface LazyOperations {
  /** A path, without the slash at its end. All operations on it and below it are these. */
  readonly below: string;
  readonly load: () => Promise<readonly Operation[]>;
}

/** An operation as the list has it. */
export type ListedOperation = Operation | LazyOperations;

const DEFAULTS = {
  body: null,
  query: null,
  pathParameters: null,
  reads: null,
  envelope: true,
  mediaType: 'application/json',
  status: 200,
  errors: [],
  crossOrigin: null,
  headers: {},
  cached: false,
  log: null,
  cost: null,
} as const;

type Optional = keyof typeof DEFAULTS | 'takesOfficer';

/** Defines an operation, with defaults for what it leaves out. */
export function operation<
  const Allowed extends Access,
  Answer extends z.ZodObject | Lines | null,
  Body extends JsonBody | LinesBody | null = null,
  Query extends z.ZodObject | null = null,
  Path extends z.ZodObject | null = null,
  Reads extends Reading = null,
>(
  definition: Omit<Facts<Allowed, Body, Query, Path, Answer, Reads>, Optional> &
    Partial<Pick<Facts<Allowed, Body, Query, Path, Answer, Reads>, Optional>> & {
      handle(
        request: RequestOf<Body, Query, Path>,
        context: ContextOf<Allowed, Reads>,
      ): Promise<HandledOf<Answer>>;
    },
): Operation {
  const { access } = definition;
  const takesOfficer = access.by === 'administrator' && access.office !== 'nothing';
  return { ...DEFAULTS, takesOfficer, ...definition };
}
