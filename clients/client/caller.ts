import { OPERATIONS } from '../types/operations.ts';
import { exchange, type Heard, type Outgoing } from './calls/exchange.ts';
import { type Expected, JSON_TYPE, parseObject } from './calls/judge.ts';
import { USER_AGENT } from './calls/user-agent.ts';
import type { Answer, JsonOperationId, OperationId } from './operation-types.ts';
import { type Failure, failed, type Result } from './result.ts';
import { addressOf, type CallOptions, type ClientSettings, tokenOf } from './settings.ts';
import { isObject, type JsonObject } from './shape.ts';
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
  /** `plain`: JSON without the envelope. Null: not JSON. */
  readonly answer: 'envelope' | 'plain' | null;
}

/** The request of a call that is not made from the generated table alone. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly access: Access;
  readonly accept?: string;
  readonly contentType?: string;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly budgetMs: number;
  readonly repeatable: boolean;
}

/** The service's own time limits, and some seconds for the network. */
const BUDGETS_MS: Readonly<Record<Access, number>> = {
  public: 10_000,
  credential: 10_000,
  administrator: 35_000,
  office: 35_000,
};

/**
 * Calls that are never retried once the service may have run them: each makes a new pair of secrets, and the
 * first pair would be lost. All other calls may be repeated.
 */
const MADE_ONCE: readonly OperationId[] = ['issueCredential', 'rotateCredential'];

/** The settings that a call needs. */
const NEEDED: Readonly<Record<Exclude<Access, 'public'>, string>> = {
  credential: '`token`',
  administrator: '`administratorToken`',
  office: '`administratorToken`, or an office’s `token`',
};

/** Values that fit into a header, and that the service accepts. */
const OFFICER = /^[!-~]{0,64}$/;

/** Makes calls with a client's settings. */
export class Caller {
  readonly #address: string;
  readonly #tokens: Readonly<Record<Access, string | null>>;
  readonly #settings: ClientSettings;
  readonly #onHeard: ((heard: Heard) => void) | undefined;

  /** @throws TypeError for invalid settings */
  constructor(settings: ClientSettings, onHeard?: (heard: Heard) => void) {
    this.#address = addressOf(settings);
    const credential = tokenOf(settings.token, 'token');
    const administrator = tokenOf(settings.administratorToken, 'administratorToken');
    // The administrator's token wins for operations of an office.
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
    // Read at each call: a page or a test may have replaced it.
    const fetch = this.#settings.fetch ?? globalThis.fetch.bind(globalThis);
    const ways = { fetch, onHeard: this.#onHeard };
    return exchange(this.#outgoing(call, token, officerReference), expected, limits, ways);
  }

  #outgoing(
    { method, path, accept, contentType, body }: Call,
    token: string | null,
    officerReference: string,
  ): Outgoing {
    const { language } = this.#settings;
    return {
      method,
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

/** The form of an answer: JSON, in the service's envelope if it has one. */
export function expectedOf<Id extends OperationId>({
  status,
  answer: form,
}: Pick<DescribedOperation, 'status' | 'answer'>): Expected<Answer<Id>> {
  return {
    status,
    contentType: JSON_TYPE,
    read: (text) => {
      const answer = parseObject(text);
      if (answer === null || !isAnswer<Id>(answer, form)) return null;
      const { request_id: requestId } = answer;
      return { answer, requestId: typeof requestId === 'string' ? requestId : null };
    },
  };
}

/** Only the service answers in its envelope, and it keeps to its description within a major version. */
const isAnswer = <Id extends OperationId>(
  value: JsonObject,
  form: DescribedOperation['answer'],
): value is Answer<Id> & JsonObject =>
  form !== 'envelope' ||
  (value.success === true && value.ok === true && typeof value.request_id === 'string');

/** The input cannot be sent: the service would read something else, or nothing. */
export const illFormed = (): Failure =>
  failed(
    'refused',
    'ILL_FORMED_INPUT',
    'This input cannot be sent: it has text that is not well-formed Unicode, or a value that JSON does not have.',
  );

/** Serializes an input. Null: it cannot be sent unchanged. */
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
    // A circular object, or a BigInt.
    return null;
  }
}

/** The path with its parameters, and the query. Null and absent values are left out of the query. */
function pathOf({ path, pathParameters, queryParameters }: DescribedOperation, input: JsonObject): string {
  const filled = pathParameters.reduce(
    (text, name) => text.replace(`{${name}}`, encodeURIComponent(String(input[name]))),
    path,
  );
  return filled + queryOf(Object.fromEntries(queryParameters.map((name) => [name, input[name]])));
}

/** A query string, with its question mark; empty without parameters. */
export function queryOf(parameters: JsonObject): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== null) query.set(name, String(value));
  }
  return query.size === 0 ? '' : `?${query}`;
}

/** The fields that are not parameters of the path or the query. */
function bodyOf({ pathParameters, queryParameters }: DescribedOperation, input: JsonObject): JsonObject {
  const parameters = [...pathParameters, ...queryParameters];
  return Object.fromEntries(Object.entries(input).filter(([name]) => !parameters.includes(name)));
}

/** The caller's input as an object. */
export function inputOf(input: unknown): JsonObject {
  return isObject(input) ? input : {};
}
