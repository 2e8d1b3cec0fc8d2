import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { createApp } from '../../src/app.ts';
import { instant } from '../../src/domain/instant.ts';
import type { Env } from '../../src/env.ts';
import { CallLog } from '../../src/storage/call-log/call-log.ts';
import { waitAfterwards } from './afterwards.ts';
import { expectInContract } from './contract.ts';

/** Bindings in place of the real ones. */
export type Bindings = Partial<Env>;

/** Runs what a cron trigger runs, by the clock or as of an instant. */
export async function runCron(expression: string, now?: number, replaced: Bindings = {}): Promise<void> {
  const { runCron: run } = await import('../../src/crons.ts');
  await run(expression, { ...env, ...replaced }, () => instant(now ?? Date.now()));
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body; of lines, `lines` with each of them; null where there is none. */
  // The tests look into many shapes of answer: each names the fields it holds.
  readonly body: Record<string, unknown>;
}

export interface Call {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  /** An object is sent as JSON; a text and bytes as they are, with no content type of their own. */
  readonly body?: unknown;
}

/** An answer as it came over the wire. */
export interface SentAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Ends when all has ended that the service does after its answer. */
  readonly settled: () => Promise<void>;
}

/**
 * The whole service as one isolate: its own app and memory, on the real bindings unless some are replaced. Whatever it
 * answers must be what its description says.
 */
export class Service {
  readonly #app: ReturnType<typeof createApp>;
  readonly #env: Env;

  /**
   * @param gatherMs how long a call's row in the call log waits for others: not at all, so that it is there to be seen
   */
  constructor(replaced: Bindings = {}, gatherMs = 0) {
    this.#app = createApp(new CallLog(gatherMs));
    this.#env = { ...env, ...replaced };
  }

  /** Calls the service; what it does after its answer is left running unless `settle` is used. */
  async call(path: string, call: Call = {}): Promise<Answer> {
    const { answer } = await this.#fetch(path, call);
    return answer;
  }

  /** Calls the service and waits for what it does after its answer (the call log's row). */
  async settle(path: string, call: Call = {}): Promise<Answer> {
    const { answer, execution } = await this.#fetch(path, call);
    await waitOnExecutionContext(execution);
    return answer;
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.call(path, { method: 'POST', body, headers });
  }

  /** Sends a request as it is, whatever is wrong with it. */
  async send(request: Request, replaced: Bindings = {}): Promise<SentAnswer> {
    const execution = createExecutionContext();
    const response = await this.#app.fetch(request, { ...this.#env, ...replaced }, execution);
    const text = await textOf(response);
    const { method, url } = request;
    const path = readably(url.slice(new URL(url).origin.length));
    const { status, headers } = response;
    expectInContract({ method, path, status, headers, text });
    const settled = () => waitOnExecutionContext(execution);
    return { status, headers, text, settled };
  }

  async #fetch(path: string, { method = 'GET', headers = {}, body }: Call) {
    const execution = createExecutionContext();
    const request = new Request(`https://parking.test${path}`, {
      method,
      headers: { ...contentType(body), 'CF-Connecting-IP': '203.0.113.7', ...headers },
      ...(body !== undefined && { body: bodyOf(body) }),
    });
    const response = await this.#app.fetch(request, this.#env, execution);
    waitAfterwards(() => waitOnExecutionContext(execution));
    const text = await textOf(response);
    expectInContract({ method, path, status: response.status, headers: response.headers, text });
    const answer: Answer = {
      status: response.status,
      headers: response.headers,
      body: bodyOfAnswer(response, text),
    };
    return { answer, execution };
  }
}

/** `%61pi` is another way to write `api`, also to the service. */
function readably(path: string): string {
  return path.replaceAll(/%[2-7][0-9a-f]/gi, (written) => {
    const character = decodeURIComponent(written);
    return /\w/.test(character) ? character : written;
  });
}

/** Lines are no media type of text to the runtime, which warns of `text()`. */
const textOf = async (response: Response): Promise<string> =>
  new TextDecoder().decode(await response.arrayBuffer());

function bodyOfAnswer({ headers }: Response, text: string) {
  switch (headers.get('Content-Type')) {
    case 'application/json':
    case 'application/geo+json':
      return text === '' ? null : JSON.parse(text);
    case 'application/x-ndjson':
      return {
        lines: text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line)),
      };
    default:
      return null;
  }
}

/** The header of a credential's access token, or of the administrator's. */
export const bearer = (token: string): Record<string, string> => ({ Authorization: `Bearer ${token}` });

export const ADMIN = bearer('admin-token-of-the-tests-long-enough');

function contentType(body: unknown): Record<string, string> {
  return isPlainObject(body) ? { 'Content-Type': 'application/json' } : {};
}

function bodyOf(body: unknown): BodyInit {
  return isPlainObject(body) ? JSON.stringify(body) : (body as BodyInit);
}

function isPlainObject(body: unknown): boolean {
  return typeof body === 'object' && body !== null && Object.getPrototypeOf(body) === Object.prototype;
}
