import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '../../domain/random.ts';
import { TROUBLES, type Trouble } from './weather.ts';

/** What the service said of a car, as it was passed on. */
export interface PassedOn {
  readonly plate: string;
  readonly granted: boolean;
}

interface Upstream {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

const SINGLE = TROUBLES.filter((trouble) => trouble !== 'mixed' && trouble !== 'killed');
const HTML = '<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>';

/** The network between gates and service, with all that befalls it. */
export class Network {
  readonly address: string;
  /** Every gate decision that went through whole, by its request id. */
  readonly passedOn = new Map<string, PassedOn>();
  /** When the service itself took long, by the steady clock: nobody's fault but the machine's. */
  slowSince = 0;
  trouble: Trouble | null = null;
  readonly #server: Server;
  readonly #upstream: () => string | null;
  readonly #random: Random;
  #lastCheck: Upstream | null = null;

  private constructor(server: Server, upstream: () => string | null, random: Random) {
    const { port } = server.address() as AddressInfo;
    this.address = `http://127.0.0.1:${port}`;
    this.#server = server;
    this.#upstream = upstream;
    this.#random = random;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
  }

  static async start(upstream: () => string | null, random: Random): Promise<Network> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Network(server, upstream, random);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const trouble = this.#troubleOfThisCall();
    const own = trouble === null ? undefined : INSTEAD[trouble];
    if (own !== undefined) {
      own(response);
      return;
    }
    if (trouble === 'slow') await wait(this.#random.below(2_500));
    if (trouble === 'another_cars_answer' && this.#lastCheck !== null && request.method === 'POST') {
      pass(response, this.#lastCheck);
      return;
    }
    const upstream = await this.#ask(request, body);
    if (trouble === 'cut_short') {
      response.writeHead(upstream.status, upstream.headers);
      response.write(upstream.body.subarray(0, this.#random.below(upstream.body.length)), () =>
        response.destroy(),
      );
      return;
    }
    // Noted before it is passed on: whoever gets it must find it here.
    if (request.method === 'POST') this.#note(upstream);
    pass(response, upstream);
  }

  #troubleOfThisCall(): Trouble | null {
    if (this.trouble !== 'mixed') return this.trouble;
    return this.#random.oneIn(3) ? null : this.#random.pick(SINGLE);
  }

  async #ask(request: IncomingMessage, body: Buffer): Promise<Upstream> {
    const address = this.#upstream();
    if (address === null) throw new Error('the service is down');
    const startedAt = performance.now();
    const { authorization = '', 'content-type': contentType } = request.headers;
    const answer = await fetch(address + request.url, {
      method: request.method ?? 'GET',
      headers: { authorization, ...(contentType !== undefined && { 'content-type': contentType }) },
      ...(body.length > 0 && { body }),
    });
    const answered = Buffer.from(await answer.arrayBuffer());
    if (performance.now() - startedAt > SLOW_MS) this.slowSince = performance.now();
    const headers: Record<string, string> = {};
    for (const name of ['content-type', 'date', 'x-request-id', 'retry-after']) {
      const value = answer.headers.get(name);
      if (value !== null) headers[name] = value;
    }
    return { status: answer.status, headers, body: answered };
  }

  #note(upstream: Upstream): void {
    if (upstream.status !== 200) return;
    const answer: { request_id: string; plate: string; access_granted?: boolean } = JSON.parse(
      upstream.body.toString(),
    );
    this.#lastCheck = upstream;
    this.passedOn.set(answer.request_id, { plate: answer.plate, granted: answer.access_granted === true });
  }
}

/** Longer than that, and the machine is too busy to judge a gate by it. */
const SLOW_MS = 400;

/** What is answered without asking anybody. */
const INSTEAD: { readonly [Name in Trouble]?: (response: ServerResponse) => void } = {
  hangs: () => {},
  killed: (response) => response.destroy(),
  breaks: (response) => response.destroy(),
  fails: (response) => {
    const error = { code: 'TEMPORARY_ERROR', message: 'The service failed.' };
    const request_id = '7f1b6f6e-6f0e-4a53-9d0c-0d7f4f6c1b52';
    send(response, 500, 'application/json', JSON.stringify({ success: false, ok: false, request_id, error }));
  },
  bad_gateway: (response) => send(response, 502, 'text/html', HTML),
  another_200: (response) => {
    const body = { success: true, ok: true, access_granted: false, has_valid_entitlement: false };
    send(response, 200, 'application/json', JSON.stringify(body));
  },
  portal_page: (response) => send(response, 200, 'text/html', '<html><body>Accept the terms</body></html>'),
  portal_redirect: (response) => {
    response.writeHead(302, { Location: 'http://127.0.0.1:9/login' });
    response.end();
  },
};

function send(response: ServerResponse, status: number, contentType: string, body: string): void {
  response.writeHead(status, { 'Content-Type': contentType });
  response.end(body);
}

function pass(response: ServerResponse, { status, headers, body }: Upstream): void {
  response.writeHead(status, headers);
  response.end(body);
}
