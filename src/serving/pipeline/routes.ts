import type { Context, Handler, Hono } from 'hono';
import { cors } from 'hono/cors';
import { HonoBase } from 'hono/hono-base';
import type { Result, Router } from 'hono/router';
import { TrieRouter } from 'hono/router/trie-router';
import { Refusal, refuse } from '../../base/errors/refusal.ts';
import type { AppEnv, Call } from './call.ts';
import type { CrossOrigin, ListedOperation, Operation } from './operation.ts';
import type { Pipeline } from './pipeline.ts';

/**
 * Hono's trie, asked once for each path without parameters and each of the runtime's few methods: its search takes up to a
 * tenth of a refusal.
 *
 * Hono's default router compiles an expression on an isolate's first call: 12 to 15 ms of CPU that a trie saves.
 */
class PathRouter<T> implements Router<T> {
  readonly name = 'PathRouter';
  readonly #trie = new TrieRouter<T>();
  readonly #fixed = new Set<string>();
  readonly #found = new Map<string, Result<T>>();

  add(method: string, path: string, handler: T): void {
    this.#trie.add(method, path, handler);
    this.#fixed.add(path);
    this.#found.clear();
  }

  match(method: string, path: string): Result<T> {
    const search = () => this.#trie.match(method, path);
    // Only what is written like a route's own path: others are without number.
    return this.#fixed.has(path) ? this.#found.getOrInsertComputed(`${method} ${path}`, search) : search();
  }
}

/** How long a browser may keep the answer to its preflight: as long as any keeps it. */
const PREFLIGHT_SECONDS = 7_200;

/**
 * The Hono app of these operations: their routes, 405 with `Allow` on their paths, 404 anywhere else. Of lazy ones it
 * knows only below which path they are.
 */
export function routesOf(operations: readonly ListedOperation[], pipeline: Pipeline): Hono<AppEnv> {
  const app = emptyApp(pipeline);
  const present = operations.filter((listed): listed is Operation => !('load' in listed));
  for (const [path, ofPath] of Map.groupBy(present, ({ path }) => path)) {
    const headers = pathHeaders(ofPath);
    const byMethod = new Map<string, Operation>(ofPath.map((operation) => [operation.method, operation]));
    const preflight = preflightOf(ofPath);
    // One handler for all methods of a path: Hono takes longer for a call that several could answer.
    app.all(path, (c) => {
      const { method } = c.req;
      // For a HEAD, Hono sends the headers alone.
      const operation = byMethod.get(method === 'HEAD' ? 'GET' : method);
      if (operation !== undefined) {
        return pipeline.answer(c, operation, headers);
      }
      return pipeline.answerWith(c, headers, async (call) => {
        if (method === 'OPTIONS' && preflight !== null) return preflight(c, call);
        throw methodRefusal(ofPath);
      });
    });
  }
  for (const listed of operations) {
    if ('load' in listed) {
      app.all(
        `${listed.below}/*`,
        loadedOnCall(async () => routesOf(await listed.load(), pipeline)),
      );
    }
  }
  return app;
}

/** An app without routes: every path is unknown. */
export function emptyApp(pipeline: Pipeline): Hono<AppEnv> {
  const app = new HonoBase<AppEnv>({ router: new PathRouter() });
  app.notFound((c) =>
    pipeline.answerWith(c, {}, async () => {
      refuse('NOT_FOUND');
    }),
  );
  // A module that cannot be loaded: all other errors of a call are answered before.
  app.onError((error, c) =>
    pipeline.answerWith(c, {}, async () => {
      throw error;
    }),
  );
  return app;
}

/**
 * Passes calls on to an app that the first of them loads. Each call that comes before it is loaded awaits the
 * import itself: a promise that another request started may never resolve here, because its client may have
 * gone.
 */
export function loadedOnCall(load: () => Promise<Hono<AppEnv>>): Handler<AppEnv> {
  let loaded: Hono<AppEnv> | null = null;
  return async (c) => {
    const app = loaded ?? (await load());
    loaded = app;
    return app.fetch(c.req.raw, c.env, c.executionCtx);
  };
}

function pathHeaders(operations: readonly Operation[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const operation of operations) {
    Object.assign(
      headers,
      operation.headers,
      operation.crossOrigin && crossOriginHeaders(operation.crossOrigin),
    );
  }
  return headers;
}

function crossOriginHeaders({ exposeHeaders }: CrossOrigin): Record<string, string> {
  return { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': exposeHeaders.join() };
}

function methodRefusal(operations: readonly Operation[]): Refusal {
  const allow = operations.map(({ method }) => method).sort();
  return new Refusal('METHOD_NOT_ALLOWED', { headers: { Allow: allow.join(', ') } });
}

/** The headers that such a page may send. */
function requestHeaders({ access, cached }: Operation): string[] {
  return [
    ...(access.by === 'credential' ? ['Authorization', 'X-Service-Token', 'X-Api-Key'] : []),
    'Content-Type',
    ...(cached ? ['If-None-Match'] : []),
  ];
}

type Preflight = (c: Context<AppEnv>, call: Call) => Promise<Response>;

/** Answers a preflight of a path that pages of any origin may call: no cookies are used, and no personal data is answered. */
function preflightOf(operations: readonly Operation[]): Preflight | null {
  const [crossOrigin] = operations.flatMap((operation) => operation.crossOrigin ?? []);
  if (crossOrigin === undefined) {
    return null;
  }
  const preflight = cors({
    origin: '*',
    allowMethods: operations.map(({ method }) => method),
    allowHeaders: operations.flatMap(requestHeaders),
    exposeHeaders: [...crossOrigin.exposeHeaders],
    maxAge: PREFLIGHT_SECONDS,
  });
  return async (c, { headers }) => {
    for (const [name, value] of Object.entries(headers)) {
      c.header(name, value);
    }
    // The helper answers a preflight itself, with the headers that are set by then.
    return (await preflight(c, async () => {})) ?? c.res;
  };
}
