import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A site of somebody else's: every path answers with the page that was last given. */
export class OtherSite {
  page = '';
  policy = '';
  readonly #server = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    if (this.policy !== '') response.setHeader('Content-Security-Policy', this.policy);
    response.end(this.page);
  });

  static async start(): Promise<OtherSite> {
    const site = new OtherSite();
    await once(site.#server.listen(0, '127.0.0.1'), 'listening');
    return site;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
