import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer as bytesOf } from 'node:stream/consumers';

/**
 * What becomes of a call: it is answered; the service does it, and nobody hears more than half of the answer (the worst
 * that can happen); the answer is a second late; something else answers; nobody does; the connection breaks.
 */
export type Fate = 'answered' | 'half_heard' | 'late' | 'turned_away' | 'held' | 'broken';

const LATE_MS = 1_000;

/** Passes calls on to the service, but not always. */
export class BadRoad {
  calls = 0;
  readonly #server: Server;
  #fateOf: (call: number) => Fate = () => 'answered';
  #onCall: (call: number) => void = () => {};

  constructor(target: () => string) {
    this.#server = createServer((request, response) => {
      // Whoever has gone meanwhile misses nothing.
      this.#pass(target(), request, response).catch(() => response.destroy());
    });
  }

  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  /** Decides about each call from now on, counted from 1. Resolves when call `awaited` has come. */
  will(fateOf: (call: number) => Fate, awaited = 1): Promise<void> {
    this.calls = 0;
    this.#fateOf = fateOf;
    return new Promise((resolve) => {
      this.#onCall = (call) => (call >= awaited ? resolve() : undefined);
    });
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #pass(target: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bytesOf(request);
    this.calls += 1;
    this.#onCall(this.calls);
    const fate = this.#fateOf(this.calls);
    if (fate === 'held') return;
    if (fate === 'broken') response.destroy();
    else if (fate === 'turned_away')
      response.writeHead(404, { 'Content-Type': 'text/html' }).end('<h1>Log in</h1>');
    else await this.#answer(fate, await passedOn(target, request, body), response);
  }

  async #answer(fate: Fate, { status, type, text }: Answered, response: ServerResponse): Promise<void> {
    if (fate === 'late') await new Promise((resolve) => setTimeout(resolve, LATE_MS));
    response.writeHead(status, { 'Content-Type': type });
    if (fate === 'half_heard') response.write(text.slice(0, text.length / 2), () => response.destroy());
    else response.end(text);
  }
}

type Answered = Awaited<ReturnType<typeof passedOn>>;

async function passedOn(target: string, { url, method = 'GET', headers }: IncomingMessage, body: Buffer) {
  const { authorization = '', 'content-type': contentType = 'application/json' } = headers;
  const answer = await fetch(target + url, {
    method,
    headers: { authorization, 'content-type': contentType },
    ...(method !== 'GET' && { body: new Uint8Array(body) }),
  });
  const type = answer.headers.get('content-type') ?? 'application/json';
  return { status: answer.status, type, text: await answer.text() };
}
