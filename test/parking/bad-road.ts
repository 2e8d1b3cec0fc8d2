import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer as bytesOf } from 'node:stream/consumers';

/** Passes calls on to the service, but not always. */
export class BadRoad {
  calls = 0;
  readonly #server: Server;
  #fails: (call: number) => boolean = () => false;
  #holds: (call: number) => boolean = () => false;
  #turnsAway: (call: number) => boolean = () => false;
  #isBroken = false;
  #lateMs = 0;

  constructor(target: () => string) {
    this.#server = createServer((request, response) => {
      // Whoever has gone meanwhile misses nothing.
      this.#pass(target(), request, response).catch(() => response.destroy());
    });
  }

  async #pass(target: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bytesOf(request);
    this.calls += 1;
    if (this.#holds(this.calls)) return;
    if (this.#turnsAway(this.calls)) {
      response.writeHead(404, { 'Content-Type': 'text/html' }).end('<h1>Log in to this network</h1>');
      return;
    }
    if (this.#isBroken) {
      response.destroy();
      return;
    }
    const { authorization = '', 'content-type': type = 'application/json' } = request.headers;
    const answer = await fetch(target + request.url, {
      method: request.method ?? 'GET',
      headers: { authorization, 'content-type': type },
      ...(request.method !== 'GET' && { body }),
    });
    const text = await answer.text();
    const answered = { 'Content-Type': answer.headers.get('content-type') ?? 'application/json' };
    await new Promise((resolve) => setTimeout(resolve, this.#lateMs));
    response.writeHead(answer.status, answered);
    // The service has done it, and nobody hears more than half of it: the worst that can happen.
    if (this.#fails(this.calls)) response.write(text.slice(0, text.length / 2), () => response.destroy());
    else response.end(text);
  }

  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  failing(when: (call: number) => boolean): void {
    this.calls = 0;
    this.#fails = when;
    this.#holds = () => false;
    this.#turnsAway = () => false;
    this.#isBroken = false;
    this.#lateMs = 0;
  }

  /** From this call on something else answers, so that nobody tries again. */
  turningAway(from: number): void {
    this.failing(() => false);
    this.#turnsAway = (call) => call >= from;
  }

  /** Nothing gets through. */
  breaking(): void {
    this.failing(() => false);
    this.#isBroken = true;
  }

  /** Everybody is answered, so many milliseconds late. Resolves when the first call has come. */
  slow(milliseconds: number): Promise<void> {
    this.failing(() => false);
    this.#lateMs = milliseconds;
    return new Promise((resolve) => {
      this.#holds = () => {
        resolve();
        return false;
      };
    });
  }

  /** Everybody is answered. Resolves when this call has come. */
  reaching(call: number): Promise<void> {
    this.failing(() => false);
    return new Promise((resolve) => {
      this.#holds = (now) => {
        if (now >= call) resolve();
        return false;
      };
    });
  }

  /** From this call on nobody is answered. Resolves when that call has come. */
  holding(from: number): Promise<void> {
    this.failing(() => false);
    return new Promise((resolve) => {
      this.#holds = (call) => {
        if (call >= from) resolve();
        return call >= from;
      };
    });
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
