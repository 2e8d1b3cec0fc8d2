import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { widgetBundle } from '../../tools/widget/bundle.ts';

/** What the service answers of a municipality, behind the envelope. */
export interface OccupancyAnswer {
  api_version: '1.0';
  municipality: { code: string; name: string };
  timezone: string;
  as_of: string;
  refresh_after_seconds: number;
  data_quality: 'good' | 'degraded' | 'outdated';
  last_source_success_at: string | null;
  areas: AreaAnswer[];
}

export interface AreaAnswer {
  code: string;
  name: string;
  area_type: 'street' | 'facility';
  latitude: number | null;
  longitude: number | null;
  capacity: number | null;
  available_now: number | null;
  available_after_30: number | null;
  available_after_60: number | null;
  occupancy_percent: number | null;
  status: 'available' | 'almost_full' | 'full' | 'unknown' | 'closed';
  closed_until: string | null;
}

type Failure = 'none' | 'error' | 'no_connection' | 'not_ours';

const WIDGET = widgetBundle();

/**
 * The public interface of the service, answered from memory, so that a test can let it fail, hang, and come back at will.
 * The very service is what `test/pages/city.browser.test.ts` opens.
 */
export class ContractService {
  readonly address: string;
  readonly municipalities = new Map<string, OccupancyAnswer>();
  failure: Failure = 'none';
  readonly #held = new Map<string, Promise<void>>();
  readonly #close: () => Promise<void>;

  private constructor(address: string, close: () => Promise<void>) {
    this.address = address;
    this.#close = close;
  }

  static async start(): Promise<ContractService> {
    let service: ContractService | undefined;
    const { address, close } = await listening((request, response) => service?.answer(request, response));
    service = new ContractService(address, close);
    return service;
  }

  stop(): Promise<void> {
    return this.#close();
  }

  /** Starts over, with these alone. */
  reset(...answers: OccupancyAnswer[]): void {
    this.failure = 'none';
    this.#held.clear();
    this.municipalities.clear();
    for (const answer of answers) this.municipalities.set(answer.municipality.code, answer);
  }

  /** Holds the answers on a municipality back until the returned function is called. */
  hold(code: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held.set(code, promise);
    return resolve;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', this.address);
    if (pathname === '/widget/v1.js') {
      response.writeHead(200, { 'Content-Type': 'text/javascript', 'Access-Control-Allow-Origin': '*' });
      response.end(WIDGET);
      return;
    }
    const code = decodeURIComponent(pathname.match(/municipalities\/([^/]*)\/occupancy$/)?.[1] ?? '');
    await this.#held.get(code);
    // A connection that breaks when it is used again is tried once more by the browser itself, unseen by the widget.
    response.shouldKeepAlive = false;
    if (this.failure === 'no_connection') {
      response.destroy();
      return;
    }
    const [status, body] = this.#judged(code, searchParams.get('area_type'));
    response.writeHead(status, {
      'Content-Type': 'application/json',
      'Access-Control-Allow-Origin': '*',
      'Cache-Control': 'no-store',
    });
    response.end(JSON.stringify(body));
  }

  #judged(code: string, areaType: string | null): [status: number, body: object] {
    const found = this.municipalities.get(code);
    if (this.failure === 'not_ours') return [200, { hello: 'from a portal' }];
    if (this.failure === 'error') return [500, refusal('TEMPORARY_ERROR')];
    if (found === undefined) return [404, refusal('NOT_FOUND')];
    const areas = found.areas.filter(({ area_type }) => areaType === null || area_type === areaType);
    return [200, { success: true, ok: true, request_id: crypto.randomUUID(), ...found, areas }];
  }
}

/** A site of somebody else's: every path answers with the page that was last given, but `/page.css`. */
export class OtherSite {
  readonly address: string;
  page = '';
  styles = '';
  policy = '';
  readonly close: () => Promise<void>;

  private constructor(address: string, close: () => Promise<void>) {
    this.address = address;
    this.close = close;
  }

  static async start(): Promise<OtherSite> {
    let site: OtherSite | undefined;
    const { address, close } = await listening((request, response) => {
      const [type, body] =
        request.url === '/page.css' ? ['text/css', site?.styles] : ['text/html; charset=utf-8', site?.page];
      response.writeHead(200, {
        'Content-Type': type,
        ...(site?.policy && { 'Content-Security-Policy': site.policy }),
      });
      response.end(body);
    });
    site = new OtherSite(address, close);
    return site;
  }
}

const refusal = (code: string) => ({
  success: false,
  ok: false,
  request_id: crypto.randomUUID(),
  error: { code, message: code },
});

async function listening(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<{ address: string; close: () => Promise<void> }> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('no port');
  return {
    address: `http://127.0.0.1:${bound.port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
