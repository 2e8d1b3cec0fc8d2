import { databasesOf } from '../../databases/bindings.ts';
import { readContents } from '../../databases/directory-table.ts';
import { allSideBySide } from '../../databases/side-by-side.ts';
import { operation } from '../../pipeline/operation.ts';
import { databaseList } from './response.ts';

/** Lists the databases, the home first, with the municipalities that live in each. */
export const listDatabases = operation({
  id: 'listDatabases',
  method: 'GET',
  path: '/api/v2/admin/databases',
  access: { by: 'administrator' },
  // Hundreds of databases, six at a time.
  deadlineMs: 10_000,
  answer: databaseList,
  handle: async (_, { env, deadline }) => {
    const databases = await deadline.race(
      allSideBySide(databasesOf(env), async ({ name, db }) => {
        const { codes, bytes } = await readContents(db);
        return { name, municipalities: [...codes], size_bytes: bytes };
      }),
    );
    return { answer: { databases } };
  },
});
