import { OPERATIONS } from '../types/operations.ts';
import { exchange, type OnServiceClock, type Outgoing } from './calls/exchange.ts';
import { type Expected, JSON_TYPE } from './calls/judge.ts';
import { USER_AGENT } from './calls/user-agent.ts';
import { isWellFormed, type JsonObject, parseObject } from './json.ts';
import type { Answer, JsonOperationId, OperationId } from './operation-types.ts';
import { failed, type Result } from './result.ts';
import { addressOf, type CallOptions, type ClientSettings, tokenOf } from './settings.ts';

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

/** What an operation that moves lines needs beside its table and its input. */
export interface Lines<T> {
  /** The form of its answer. */
  readonly expected: Expected<T>;
  /** Newline-delimited JSON to send. */
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly budgetMs: number;
}

export const LINES_TYPE = 'application/x-ndjson';

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
  readonly #onServiceClock: OnServiceClock | undefined;

  /** @throws TypeError for invalid settings */
  constructor(settings: ClientSettings, onServiceClock?: OnServiceClock) {
    this.#address = addressOf(settings);
    const credential = tokenOf(settings.token, 'token');
    const administrator = tokenOf(settings.administratorToken, 'administratorToken');
    // The administrator's token wins for operations of an office.
    this.#tokens = { public: null, credential, administrator, office: administrator ?? credential };
    this.#settings = settings;
    this.#onServiceClock = onServiceClock;
  }

  /** Calls an operation that takes an object of parameters and fields, and answers with one. */
  json<Id extends JsonOperationId>(
    id: Id,
    input: JsonObject,
    options: CallOptions = {},
  ): Promise<Result<Answer<Id>>> {
    const budgetMs = BUDGETS_MS[OPERATIONS[id].access];
    return this.call(id, input, { expected: expectedOf(id), budgetMs }, options);
  }

  /** Calls an operation. It never throws. */
  async call<T>(
    id: OperationId,
    input: JsonObject,
    { expected, body, budgetMs }: Lines<T>,
    options: CallOptions,
  ): Promise<Result<T>> {
    const operation: DescribedOperation = OPERATIONS[id];
    const token = this.#tokens[operation.access];
    if (token === null && operation.access !== 'public') {
      const needed = NEEDED[operation.access];
      return failed('misconfigured', 'TOKEN_NOT_SET', `This call needs the client's setting ${needed}.`);
    }
    const { officerReference = '' } = options;
    if (!OFFICER.test(officerReference)) return failed('refused', 'ILL_FORMED_INPUT', NO_OFFICER);
    const written = writtenOf(operation, input, body);
    if (written === null) return failed('refused', 'ILL_FORMED_INPUT', CANNOT_BE_SENT);

    const { language, fetch = globalThis.fetch.bind(globalThis) } = this.#settings;
    const outgoing: Outgoing = {
      method: operation.method,
      url: this.#address + written.path,
      headers: {
        Accept: expected.contentType === JSON_TYPE ? JSON_TYPE : `${expected.contentType}, ${JSON_TYPE}`,
        ...(USER_AGENT !== null && { 'User-Agent': USER_AGENT }),
        ...(token !== null && { Authorization: `Bearer ${token}` }),
        ...(officerReference !== '' && { 'Officer-Reference': officerReference }),
        ...(language !== undefined && { 'Accept-Language': language }),
        ...(operation.body !== 'none' && {
          'Content-Type': operation.body === 'json' ? JSON_TYPE : LINES_TYPE,
        }),
      },
      ...(written.body !== undefined && { body: written.body }),
    };
    return exchange(outgoing, expected, {
      fetch,
      budgetMs: options.budgetMs ?? this.#settings.budgetMs ?? budgetMs,
      signal: options.signal,
      repeatable: !MADE_ONCE.includes(id),
      onServiceClock: this.#onServiceClock,
    });
  }
}

/** The form of an answer: JSON, in the service's envelope if it has one. */
export function expectedOf<Id extends OperationId>(id: Id): Expected<Answer<Id>> {
  const { status, answer: form }: DescribedOperation = OPERATIONS[id];
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

const NO_OFFICER = 'An officer’s reference has 1 to 64 visible ASCII characters.';
/** The service would read something else, or nothing. */
const CANNOT_BE_SENT =
  'This input cannot be sent: it has text that is not well-formed Unicode, or a value that JSON does not have.';

/**
 * Serializes an input: parameters go into the path and the query, where null is left out; the other fields are the body,
 * unless lines are. Null: it cannot be sent unchanged.
 */
function writtenOf(
  { path, pathParameters, queryParameters, body: form }: DescribedOperation,
  input: JsonObject,
  lines: Lines<unknown>['body'],
): { readonly path: string; readonly body?: Lines<unknown>['body'] } | null {
  try {
    // Bytes are sent as they are.
    if (!isWellFormed(input) || (typeof lines === 'string' && !isWellFormed(lines))) return null;
    const query = new URLSearchParams();
    const fields: Record<string, unknown> = {};
    let filled = path;
    for (const [name, value] of Object.entries(input)) {
      if (pathParameters.includes(name)) {
        filled = filled.replace(`{${name}}`, encodeURIComponent(String(value)));
      } else if (!queryParameters.includes(name)) fields[name] = value;
      else if (value !== undefined && value !== null) query.set(name, String(value));
    }
    return {
      path: query.size === 0 ? filled : `${filled}?${query}`,
      ...(lines !== undefined ? { body: lines } : form === 'json' && { body: JSON.stringify(fields) }),
    };
  } catch {
    // A circular object, or a BigInt.
    return null;
  }
}
