import { setTimeout as wait } from 'node:timers/promises';

const TRIES = 3;
/** The same as the service's own `Retry-After`. */
const RETRY_AFTER_MS = 1_000;

/** The parts of an answer that this client reads. */
export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** Calls the running service as any other client does, with one token. */
export class ServiceClient {
  readonly #address: string;
  readonly #token: string;

  constructor(address: string, token: string) {
    this.#address = address;
    this.#token = token;
  }

  /** Sends an object as JSON, a text as newline-delimited JSON, or nothing. Any status is an answer. */
  async send(method: string, path: string, body?: object | string): Promise<Answer> {
    const isText = typeof body === 'string';
    const response = await fetch(this.#address + path, {
      method,
      headers: {
        Authorization: `Bearer ${this.#token}`,
        'Content-Type': isText ? 'application/x-ndjson' : 'application/json',
      },
      ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
    });
    return { status: response.status, body: await jsonOf(response) };
  }

  /**
   * As `send`, for calls that have to succeed: temporary failures are retried.
   *
   * @throws Error with the answer, when it is not a success
   */
  async succeed(method: string, path: string, body: object | string): Promise<Answer['body']> {
    for (let tries = 1; ; tries++) {
      const answer = await this.send(method, path, body);
      if (answer.status >= 200 && answer.status <= 299) return answer.body;
      if (answer.status < 500 || tries === TRIES) {
        throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      }
      await wait(RETRY_AFTER_MS);
    }
  }
}

async function jsonOf(response: Response): Promise<Record<string, unknown>> {
  const parsed: unknown = JSON.parse(await response.text());
  if (typeof parsed !== 'object' || parsed === null) {
    throw new Error(`the service answered ${response.status} with no object`);
  }
  return { ...parsed };
}
