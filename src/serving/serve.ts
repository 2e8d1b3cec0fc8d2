import type { MiddlewareHandler } from 'hono';
import type * as z from 'zod';
import type { App, AppEnv, Call, Validated } from './call.ts';
import type { AdministratorAccess, Contract, CredentialAccess, JsonBody, LinesBody } from './contract.ts';
import { logged } from './middleware/call-log.ts';
import { administration, credential } from './middleware/credential.ts';
import { deadline } from './middleware/deadline.ts';
import { json, lines, officer, path, query } from './middleware/input.ts';

type Given<Target extends 'json' | 'query' | 'param', Schema> = Schema extends z.ZodType
  ? Validated<Target, Schema>
  : object;

/**
 * Mounts an operation: the steps that its contract names, outermost first, and its handler. `c.req.valid` has its body, query and
 * path.
 */
export function serve<
  Body extends JsonBody | LinesBody | null,
  Query extends z.ZodObject | null,
  Path extends z.ZodObject | null,
>(
  app: App,
  contract: Contract<Body, Query, Path> & { readonly access: AdministratorAccess | CredentialAccess },
  handle: (
    c: Call<
      Given<'json', Body extends JsonBody<infer Schema> ? Schema : null> &
        Given<'query', Query> &
        Given<'param', Path>
    >,
  ) => Promise<Response>,
): void {
  const { access, body, query: asked, pathParameters } = contract;
  const optional: readonly (MiddlewareHandler<AppEnv> | null)[] = [
    body?.kind === 'json' ? json(body) : null,
    body?.kind === 'lines' ? lines(body) : null,
    contract.takesOfficer ? officer : null,
    asked && query(asked),
    pathParameters && path(pathParameters),
  ];
  app.on(
    contract.method,
    contract.path,
    logged(contract),
    deadline(contract.deadlineMs),
    access.by === 'credential' ? credential(access) : administration(access),
    ...optional.filter((step) => step !== null),
    handle,
  );
}
