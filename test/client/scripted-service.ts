import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const REQUEST_ID = '7f1b6f6e-6f0e-4a53-9d0c-0d7f4f6c1b52';

/** What it was asked. */
export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** How it answers one request. */
export type Reply = (response: ServerResponse, seen: Seen) => void;

/** A real HTTP server that answers by the script as long as that lasts, then by its last reply. */
export class ScriptedService {
  readonly address: string;
  readonly seen: Seen[] = [];
  readonly #server: Server;
  #script: Reply[] = [];

  private constructor(server: Server) {
    const { port } = server.address() as AddressInfo;
    this.address = `http://127.0.0.1:${port}`;
    this.#server = server;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      void this.#answer(request, response);
    });
  }

  static async start(): Promise<ScriptedService> {
    // A connection that the server gave up while the client was busy would be tried again, and counted twice.
    const server = createServer({ keepAliveTimeout: 120_000 }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ScriptedService(server);
  }

  /** Forgets what was asked, and answers like this from now on. */
  script(...replies: readonly Reply[]): void {
    this.seen.length = 0;
    this.#script = [...replies];
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const seen = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    };
    this.seen.push(seen);
    const reply = this.#script.length > 1 ? this.#script.shift() : this.#script[0];
    if (reply === undefined) throw new Error('nothing was scripted');
    reply(response, seen);
  }
}

/** Answers with an object, as the service does. */
export const json =
  (status: number, body: object, headers: Record<string, string> = {}): Reply =>
  (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };

/** Answers with an error of the service. */
export const error = (
  status: number,
  code: string,
  headers: Record<string, string> = {},
  details?: object,
): Reply =>
  json(
    status,
    {
      success: false,
      ok: false,
      request_id: REQUEST_ID,
      error: { code, message: `It is ${code}.`, ...(details && { details }) },
    },
    headers,
  );

/** Answers with a page. */
export const html =
  (status: number, headers: Record<string, string> = {}): Reply =>
  (response) => {
    response.writeHead(status, { 'Content-Type': 'text/html', ...headers });
    response.end('<html><body>Welcome to the hotel</body></html>');
  };

/** Says nothing, and keeps the connection. */
export const hang: Reply = () => {};

/** Breaks the connection. */
export const reset: Reply = (response) => {
  response.socket?.destroy();
};

/** Sends half of an answer, and breaks the connection. */
export const cutShort =
  (body: object): Reply =>
  (response) => {
    const text = JSON.stringify(body);
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': String(text.length) });
    response.write(text.slice(0, text.length / 2), () => response.socket?.destroy());
  };

export const HEALTHY = { success: true, ok: true, request_id: REQUEST_ID };
export const healthy: Reply = json(200, HEALTHY);
