import { operation } from '../../serving/pipeline/operation.ts';
import { databaseList } from './contract.ts';
import { listContents } from './list-contents.ts';

/** Lists the databases, the home first, with the municipalities that live in each. */
export const listDatabases = operation({
  id: 'listDatabases',
  method: 'GET',
  path: '/api/v2/admin/databases',
  access: { by: 'administrator', office: 'nothing' },
  // Hundreds of databases, six at a time.
  deadlineMs: 10_000,
  answer: databaseList,
  handle: async (_, { env, deadline }) => ({
    answer: { databases: await deadline.race(listContents(env)) },
  }),
});
