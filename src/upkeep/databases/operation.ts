import * as z from 'zod';
import { withTimeout } from '../../base/platform/deadline.ts';
import { SECOND_MS } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import { code, count } from '../../serving/http/response-fields.ts';
import { operation } from '../../serving/pipeline/operation.ts';
import { databasesOf, HOME } from '../../storage/databases/bindings.ts';
import { listElsewhere, readContents } from '../../storage/databases/directory-table.ts';
import { sideBySide } from '../../storage/databases/side-by-side.ts';

/** More than an account may have, and more municipalities than any country has. */
const MAX_DATABASES = 50_000;
const MAX_MUNICIPALITIES = 100_000;

const databaseFields = z
  .object({
    name: code.describe('The name of its binding. The home is `DB`.'),
    municipalities: z.array(code).max(MAX_MUNICIPALITIES).describe('Codes, in order.'),
    size_bytes: count
      .nullable()
      .describe(
        'Its size in bytes. Null: it is away, and its municipalities are those of the home’s directory.',
      ),
  })
  .meta({ id: 'Database', description: 'A database and the municipalities that live in it.' });

const databaseList = z
  .object({ databases: z.array(databaseFields).max(MAX_DATABASES).describe('The databases.') })
  .meta({ id: 'DatabaseList', description: 'All databases, the home first.' });

type DatabaseContents = z.infer<typeof databaseFields>;

/** Another database that takes longer counts as away, so that the others can still be listed. */
const DATABASE_MS = 3 * SECOND_MS;

/**
 * Lists the contents of each database, the home first. For one that is away, uses the home's directory, without a size.
 *
 * @throws Error if the home is away
 */
async function listContents(env: Env): Promise<DatabaseContents[]> {
  const databases = databasesOf(env);
  const outcomes = await sideBySide(databases, ({ name, db }) =>
    // Without the home there is no answer, so it may use the call's whole deadline.
    name === HOME ? readContents(db) : withTimeout(DATABASE_MS, readContents(db)),
  );
  const [home] = outcomes;
  if (home?.status === 'rejected') {
    throw home.reason;
  }
  const isAway = outcomes.some(({ status }) => status === 'rejected');
  const directory = isAway ? await listElsewhere(env.DB) : [];
  return databases.map(({ name }, index) => {
    const outcome = outcomes[index];
    if (outcome?.status === 'fulfilled') {
      const { codes, bytes } = outcome.value;
      return { name, municipalities: [...codes], size_bytes: bytes };
    }
    const codes = directory.filter(({ database }) => database === name).map(({ code }) => code);
    return { name, municipalities: codes.sort(), size_bytes: null };
  });
}

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
