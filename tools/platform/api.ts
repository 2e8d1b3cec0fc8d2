import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { ApiRefusal } from './account.ts';

/** A call of the API, as a route sees it. */
export interface ApiCall {
  /** The groups of the route's pattern. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
  readonly token: string;
  readonly json: <T>() => Promise<T>;
  readonly form: () => Promise<FormData>;
}

/** A method, the path after the account's, and its `result`. */
export type Route = readonly [method: string, path: RegExp, handle: (call: ApiCall) => unknown];

const ACCOUNT = /^\/client\/v4\/accounts\/[^/]+\/(.*)$/;

/** The calls that are about no account. */
const ABOUT_USER: Readonly<Record<string, unknown>> = {
  '/client/v4/user': { id: 'u1', email: 'rehearsal@example.org' },
  '/client/v4/user/tokens/verify': { id: 't1', status: 'active' },
  '/client/v4/memberships': [{ id: 'm1', account: { id: 'rehearsal', name: 'Rehearsal' } }],
};

/** Serves the API. An unknown call is answered 404, and noted. */
export function serveApi(routes: readonly Route[], unknown: string[]): Server {
  return createServer((request, response) => {
    answer(routes, request, unknown).then(
      (result) => send(response, 200, { success: true, errors: [], messages: [], result }),
      (error: unknown) => {
        const refusal = error instanceof ApiRefusal ? error : new ApiRefusal(500, 10_000, String(error));
        const { status, code, message } = refusal;
        send(response, status, { success: false, errors: [{ code, message }], messages: [], result: null });
      },
    );
  });
}

async function answer(
  routes: readonly Route[],
  request: IncomingMessage,
  unknown: string[],
): Promise<unknown> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const method = request.method ?? 'GET';
  const body = await bytesOf(request);
  const ofUser = ABOUT_USER[pathname];
  if (ofUser !== undefined) return ofUser;
  const [, path = ''] = ACCOUNT.exec(pathname) ?? [];
  for (const [wanted, pattern, handle] of routes) {
    const found = wanted === method ? pattern.exec(path) : null;
    if (found === null) continue;
    const headers = { 'Content-Type': request.headers['content-type'] ?? '' };
    return handle({
      parts: found.slice(1).map(decodeURIComponent),
      query: searchParams,
      token: (request.headers.authorization ?? '').replace('Bearer ', ''),
      json: async <T>() => JSON.parse(body.toString('utf8')) as T,
      form: () => new Response(body, { headers }).formData(),
    });
  }
  unknown.push(`${method} ${pathname}`);
  throw new ApiRefusal(404, 7003, `The stand-in does not know ${method} ${pathname}`);
}

export async function bytesOf(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(body));
}
