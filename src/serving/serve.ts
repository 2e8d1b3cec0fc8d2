import type { MiddlewareHandler } from 'hono';
import type * as z from 'zod';
import type { App, AppEnv, Call, Validated } from './call.ts';
import { type Contract, takesOfficer } from './contract.ts';
import { logged } from './middleware/call-log.ts';
import { cors } from './middleware/cors.ts';
import { administration, credential } from './middleware/credential.ts';
import { deadline } from './middleware/deadline.ts';
import { json, lines, officer, validated } from './middleware/input.ts';

type Given<Target extends 'json' | 'query' | 'param', Schema> = Schema extends z.ZodType
  ? Validated<Target, Schema>
  : object;

/** A call of an operation, as its handler gets it: `c.req.valid` has its body, query and path. */
type CallOf<C extends Contract> = Call<
  Given<'json', C extends { body: { schema: infer Schema } } ? Schema : null> &
    Given<'query', C['query']> &
    Given<'param', C['pathParameters']>
>;

/** Mounts an operation: the steps that its contract names, outermost first, and its handler. */
export function serve<C extends Contract>(
  app: App,
  contract: C,
  handle: (c: CallOf<C>) => Response | Promise<Response>,
): void {
  const { access, body, query, pathParameters } = contract;
  const optional: readonly (MiddlewareHandler<AppEnv> | false | undefined)[] = [
    access.by === 'credential' && credential(access),
    access.by === 'administrator' && administration(access),
    body?.kind === 'json' && json(body),
    body?.kind === 'lines' && lines(body),
    takesOfficer(contract) && officer,
    query && validated('query', query),
    pathParameters && validated('param', pathParameters),
  ];
  // On every status of the path, those of other methods too.
  for (const [name, value] of Object.entries(contract.headers ?? {})) {
    app.use(contract.path, (c, next) => {
      c.header(name, value);
      return next();
    });
  }
  if (contract.crossOrigin) app.use(contract.path, cors(contract));
  app.on(
    contract.method,
    contract.path,
    logged(contract),
    deadline(contract.deadlineMs),
    ...optional.filter((step) => step !== undefined && step !== false),
    handle,
  );
}
