import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Account } from './account.ts';
import { serveApi } from './api.ts';
import { storageRoutes } from './databases.ts';
import { serveWorker } from './edge.ts';
import { Runtime, workerName } from './runtime.ts';
import { scriptRoutes } from './scripts.ts';

/** The platform on this machine: its API for Wrangler, and the edge of one Worker. */
export interface StandIn {
  /** For the environment of `wrangler` and of this project's commands. */
  readonly variables: Readonly<Record<string, string>>;
  /** Where the Worker answers. */
  readonly address: string;
  readonly account: Account;
  readonly runtime: Runtime;
  /** Calls of the API that it does not know. */
  readonly unknown: readonly string[];
  /** Fires a cron at the version that serves. */
  readonly cron: (expression: string) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** @param folder where databases, KV and objects are kept */
export async function startStandIn(folder: string, worker: string): Promise<StandIn> {
  const account = new Account();
  const runtime = new Runtime(account, folder);
  await runtime.change();
  const unknown: string[] = [];
  const api = serveApi([...scriptRoutes(account, runtime), ...storageRoutes(account, runtime)], unknown);
  const edge = serveWorker(account, runtime, worker);
  const base = await listen(api);
  return {
    variables: {
      CLOUDFLARE_API_BASE_URL: `${base}/client/v4`,
      CLOUDFLARE_API_TOKEN: 'of-no-account',
      CLOUDFLARE_ACCOUNT_ID: 'rehearsal',
    },
    address: await listen(edge),
    account,
    runtime,
    unknown,
    cron: (expression) =>
      runtime.call(async (miniflare) => {
        const [serving] = account.script(worker).deployments[0]?.versions ?? [];
        const { scheduled } = await miniflare.getWorker(workerName(serving?.version_id ?? ''));
        await scheduled({ cron: expression });
      }),
    stop: async () => {
      for (const server of [api, edge]) {
        server.closeAllConnections();
        server.close();
      }
      await runtime.stop();
    },
  };
}

async function listen(server: Server): Promise<string> {
  server.listen(0, 'localhost');
  await once(server, 'listening');
  // A server that listens on a port has an address of this kind.
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}
