import { OPERATIONS, SHAPES } from '../types/operations.ts';
import { exchange, type Heard, type Outgoing } from './calls/exchange.ts';
import { type Expected, JSON_TYPE, parseObject } from './calls/judge.ts';
import { USER_AGENT } from './calls/user-agent.ts';
import type { Answer, JsonOperationId, OperationId } from './operation-types.ts';
import { type Failure, failed, type Result } from './result.ts';
import { addressOf, type CallOptions, type ClientSettings, tokenOf } from './settings.ts';
import { hasShape, isObject, type JsonObject } from './shape.ts';
import { isWellFormed } from './well-formed.ts';

type Access = 'public' | 'credential' | 'administrator' | 'office';

/** An operation as the generated table has it, with every field in its wide type. */
interface DescribedOperation {
  readonly method: string;
  readonly path: string;
  readonly access: Access;
  readonly pathParameters: readonly string[];
  readonly queryParameters: readonly string[];
  readonly body: 'none' | 'json' | 'lines';
  readonly status: number;
  readonly answer: unknown;
}

/** What a call sends, where it is not made from the generated table alone. */
export interface Call {
  readonly operation: OperationId;
  readonly method: string;
  readonly path: string;
  readonly access: Access;
  readonly accept?: string;
  readonly contentType?: string;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly budgetMs: number;
  readonly repeatable: boolean;
}

/** The service's own time limits, and some seconds for the way. */
const BUDGETS_MS: Readonly<Record<Access, number>> = {
  public: 10_000,
  credential: 10_000,
  administrator: 35_000,
  office: 35_000,
};

/**
 * Not made again after a failure that may have come too late to prevent them: each makes a new pair of secrets, and the
 * pair of the first try would be known to nobody. Everything else may be repeated.
 */
const MADE_ONCE: readonly OperationId[] = ['issueCredential', 'rotateCredential'];

/** The settings that a call needs. */
const NEEDED: Readonly<Record<Exclude<Access, 'public'>, string>> = {
  credential: '`token`',
  administrator: '`administratorToken`',
  office: '`administratorToken`, or an office’s `token`',
};

/** What can go into a header, and the service takes. */
const OFFICER = /^[!-~]{0,64}$/;

/** Makes calls with a client's settings. */
export class Caller {
  readonly #address: string;
  readonly #tokens: Readonly<Record<Access, string | null>>;
  readonly #settings: ClientSettings;
  readonly #onHeard: ((heard: Heard) => void) | undefined;

  /** @throws TypeError for settings that cannot be right */
  constructor(settings: ClientSettings, onHeard?: (heard: Heard) => void) {
    this.#address = addressOf(settings);
    const credential = tokenOf(settings.token, 'token');
    const administrator = tokenOf(settings.administratorToken, 'administratorToken');
    // What an office may do, the administrator does where both are known.
    this.#tokens = { public: null, credential, administrator, office: administrator ?? credential };
    this.#settings = settings;
    this.#onHeard = onHeard;
  }

  /** Calls an operation of the generated table with an object of parameters and fields. */
  async json<Id extends JsonOperationId>(
    id: Id,
    input: JsonObject,
    options: CallOptions = {},
  ): Promise<Result<Answer<Id>>> {
    const operation: DescribedOperation = OPERATIONS[id];
    const written = writtenOf(operation, input);
    if (written === null) return illFormed();
    const call: Call = {
      operation: id,
      method: operation.method,
      access: operation.access,
      ...written,
      budgetMs: BUDGETS_MS[operation.access],
      repeatable: !MADE_ONCE.includes(id),
    };
    return this.make(call, expectedOf<Id>(operation), options);
  }

  /** Makes a call. It never throws. */
  async make<T>(call: Call, expected: Expected<T>, options: CallOptions): Promise<Result<T>> {
    const token = this.#tokens[call.access];
    if (token === null && call.access !== 'public') {
      const needed = NEEDED[call.access];
      return failed('misconfigured', 'TOKEN_NOT_SET', `This call needs the client's setting ${needed}.`);
    }
    const { officerReference = '' } = options;
    if (!OFFICER.test(officerReference)) {
      return failed(
        'refused',
        'ILL_FORMED_INPUT',
        'An officer’s reference has 1 to 64 visible ASCII characters.',
      );
    }
    const limits = {
      budgetMs: options.budgetMs ?? this.#settings.budgetMs ?? call.budgetMs,
      signal: options.signal,
      repeatable: call.repeatable,
    };
    // Looked up at each call: a page or a test may have put another one there since.
    const fetch = this.#settings.fetch ?? globalThis.fetch.bind(globalThis);
    const ways = { fetch, onHeard: this.#onHeard, hooks: this.#settings };
    return exchange(this.#outgoing(call, token, officerReference), expected, limits, ways);
  }

  #outgoing(
    { operation, method, path, accept, contentType, body }: Call,
    token: string | null,
    officerReference: string,
  ): Outgoing {
    const { language } = this.#settings;
    return {
      method,
      about: { operation, method, path: OPERATIONS[operation].path },
      url: this.#address + path,
      headers: {
        Accept: accept ?? JSON_TYPE,
        ...(USER_AGENT !== null && { 'User-Agent': USER_AGENT }),
        ...(token !== null && { Authorization: `Bearer ${token}` }),
        ...(officerReference !== '' && { 'Officer-Reference': officerReference }),
        ...(language !== undefined && { 'Accept-Language': language }),
        ...(contentType !== undefined && { 'Content-Type': contentType }),
      },
      ...(body !== undefined && { body }),
    };
  }
}

/** The form of an answer: JSON in the shape of the description. */
export function expectedOf<Id extends OperationId>(operation: {
  readonly status: number;
  readonly answer: unknown;
}): Expected<Answer<Id>> {
  return {
    status: operation.status,
    contentType: JSON_TYPE,
    read: (text) => {
      const answer = parseObject(text);
      if (answer === null || !isAnswer<Id>(answer, operation.answer)) return null;
      const { request_id: requestId } = answer as JsonObject;
      return { answer, requestId: typeof requestId === 'string' ? requestId : null };
    },
  };
}

/** The types and the shapes are made from the same description: what has the shape is of the type. */
function isAnswer<Id extends OperationId>(value: unknown, shape: unknown): value is Answer<Id> {
  return hasShape(value, shape, SHAPES);
}

/** What was given cannot be sent: the service would read something else, or nothing. */
export const illFormed = (): Failure =>
  failed(
    'refused',
    'ILL_FORMED_INPUT',
    'What was given cannot be sent: it has text that is not well-formed Unicode, or a value that JSON does not have.',
  );

/** What goes over the wire of an input. Null: it cannot go there as it is. */
function writtenOf(
  operation: DescribedOperation,
  input: JsonObject,
): Pick<Call, 'path' | 'contentType' | 'body'> | null {
  try {
    if (!isWellFormed(input)) return null;
    const path = pathOf(operation, input);
    if (operation.body !== 'json') return { path };
    return { path, contentType: JSON_TYPE, body: JSON.stringify(bodyOf(operation, input)) };
  } catch {
    // An object that holds itself, or a BigInt.
    return null;
  }
}

/** The path with its parameters, and the query. What is null or absent is left out of the query. */
function pathOf({ path, pathParameters, queryParameters }: DescribedOperation, input: JsonObject): string {
  const filled = pathParameters.reduce(
    (text, name) => text.replace(`{${name}}`, encodeURIComponent(String(input[name]))),
    path,
  );
  return filled + queryOf(Object.fromEntries(queryParameters.map((name) => [name, input[name]])));
}

/** A query string, with its question mark; empty where nothing is given. */
export function queryOf(parameters: JsonObject): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== null) query.set(name, String(value));
  }
  return query.size === 0 ? '' : `?${query}`;
}

/** All that was given and is not a parameter of the path or the query. */
function bodyOf({ pathParameters, queryParameters }: DescribedOperation, input: JsonObject): JsonObject {
  const parameters = [...pathParameters, ...queryParameters];
  return Object.fromEntries(Object.entries(input).filter(([name]) => !parameters.includes(name)));
}

/** What somebody gave as input, as an object. */
export function inputOf(input: unknown): JsonObject {
  return isObject(input) ? input : {};
}
