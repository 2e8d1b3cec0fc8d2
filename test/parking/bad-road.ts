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
    await new Promise((resolve) => setTimeout(resolve, this.#lateMs));
    // The service has done it, and nobody hears of it: the worst that can happen.
    if (this.#fails(this.calls)) response.destroy();
    else response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(text);
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
    this.#isBroken = false;
    this.#lateMs = 0;
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
