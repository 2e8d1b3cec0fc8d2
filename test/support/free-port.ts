import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below those that a system gives out by itself: nobody who asks for any port gets one of these meanwhile. */
const [FIRST, LAST] = [10_000, 32_767];

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST + 1));
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
