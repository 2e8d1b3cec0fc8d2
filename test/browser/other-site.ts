import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

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
