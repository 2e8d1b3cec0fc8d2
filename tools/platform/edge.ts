import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Account } from './account.ts';
import { bytesOf } from './api.ts';
import { type Runtime, workerName } from './runtime.ts';

/** `name="version id"`. */
const OVERRIDE = /^([\w-]+)="([0-9a-f-]+)"$/;

/** Where a Worker answers: each call goes to the version that the deployment, or the caller's override, says. */
export function serveWorker(account: Account, runtime: Runtime, name: string): Server {
  return createServer((request, response) => {
    forward(account, runtime, name, request).then(
      async (answer) => {
        response.writeHead(answer.status, Object.fromEntries(answer.headers));
        response.end(Buffer.from(await answer.arrayBuffer()));
      },
      (error: unknown) => {
        response.writeHead(530, { 'Content-Type': 'text/plain' });
        response.end(String(error));
      },
    );
  });
}

async function forward(
  account: Account,
  runtime: Runtime,
  name: string,
  request: IncomingMessage,
): Promise<Response> {
  const body = await bytesOf(request);
  const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
  return runtime.call(async (miniflare) => {
    const version = versionFor(account, name, request.headers['cloudflare-workers-version-overrides']);
    const { origin } = await miniflare.unsafeGetDirectURL(workerName(version));
    const method = request.method ?? 'GET';
    const response = await fetch(`${origin}${request.url}`, {
      method,
      headers: Object.entries(headers).map(([key, value]) => [key, String(value)] as [string, string]),
      ...(body.length > 0 && { body }),
      redirect: 'manual',
    });
    // Read here: a change of versions waits until the answer is complete.
    const { status } = response;
    const bytes = await response.arrayBuffer();
    return new Response(status === 204 || status === 304 ? null : bytes, {
      status,
      headers: kept(response.headers),
    });
  });
}

/** An override reaches a version of the deployment, one at 0 % too; without one, shares are by chance. */
function versionFor(account: Account, name: string, override: string | string[] | undefined): string {
  const versions = account.script(name).deployments[0]?.versions ?? [];
  const [, worker, wanted] = OVERRIDE.exec(String(override ?? '')) ?? [];
  if (worker === name && versions.some(({ version_id: id }) => id === wanted) && wanted !== undefined)
    return wanted;
  let left = Math.random() * 100;
  for (const { version_id: id, percentage } of versions) {
    left -= percentage;
    if (left < 0) return id;
  }
  throw new Error('no version has any calls');
}

/** `fetch` has decoded the body. */
function kept(headers: Headers): Headers {
  const copy = new Headers(headers);
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) copy.delete(name);
  return copy;
}
