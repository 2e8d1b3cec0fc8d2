import { type Account, ApiRefusal } from './account.ts';
import type { Route } from './api.ts';
import type { Runtime } from './runtime.ts';

/** The calls about databases and namespaces. */
export function storageRoutes(account: Account, runtime: Runtime): readonly Route[] {
  const databaseOf = (id: string) => {
    const name = account.databases.get(id);
    if (name === undefined) throw new ApiRefusal(404, 7404, `The database ${id} could not be found`);
    return { uuid: id, name, version: 'production', running_in_region: 'WEUR' };
  };
  return [
    [
      'GET',
      /^d1\/database$/,
      ({ query }) => {
        const wanted = query.get('name');
        const ids =
          query.get('page') === '1' || query.get('page') === null ? [...account.databases.keys()] : [];
        return ids.map(databaseOf).filter(({ name }) => wanted === null || name === wanted);
      },
    ],
    [
      'POST',
      /^d1\/database$/,
      async ({ json }) => {
        const id = account.createDatabase((await json<{ name: string }>()).name);
        await runtime.change();
        return databaseOf(id);
      },
    ],
    ['GET', /^d1\/database\/([^/]+)$/, ({ parts: [id = ''] }) => databaseOf(id)],
    [
      'POST',
      /^d1\/database\/([^/]+)\/query$/,
      async ({ parts: [id = ''], json }) => {
        databaseOf(id);
        const { sql, params = [] } = await json<{ sql: string; params?: unknown[] }>();
        return queryAll(runtime, id, sql, params);
      },
    ],
    [
      'POST',
      /^storage\/kv\/namespaces$/,
      async ({ json }) => {
        const { title } = await json<{ title: string }>();
        const id = account.createNamespace(title);
        await runtime.change();
        return { id, title, supports_url_encoding: true };
      },
    ],
    [
      'GET',
      /^storage\/kv\/namespaces$/,
      () => [...account.namespaces].map(([id, title]) => ({ id, title, supports_url_encoding: true })),
    ],
  ];
}

/** All statements as one transaction, as the platform does. */
async function queryAll(runtime: Runtime, id: string, sql: string, params: readonly unknown[]) {
  const { unstable_splitSqlQuery: split } = await import('wrangler');
  const database = await runtime.database(id);
  const statements = split(sql).filter((text) => text.replaceAll(/--.*$/gm, '').trim() !== '');
  try {
    return await runtime.call(() =>
      database.batch(statements.map((text) => database.prepare(text).bind(...params))),
    );
  } catch (error) {
    throw new ApiRefusal(400, 7500, error instanceof Error ? error.message : String(error));
  }
}
