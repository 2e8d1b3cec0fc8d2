import { databasesOf } from '../../databases/bindings.ts';
import { readContents } from '../../databases/directory-table.ts';
import { allSideBySide } from '../../databases/side-by-side.ts';
import { withSubject } from '../../errors/call-subject.ts';
import { QUERY_BODY } from '../../http/body.ts';
import { operation } from '../../pipeline/operation.ts';
import { moveMunicipality } from './move-municipality.ts';
import { movePath, moveRequest } from './request.ts';
import { databaseList, moveAnswer } from './response.ts';

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

/** Moves a municipality to another database, a bounded part of the way. */
export const move = operation({
  id: 'moveMunicipality',
  method: 'POST',
  path: '/api/v2/admin/municipalities/:code/move',
  access: { by: 'administrator' },
  // A part takes five at most; and a database may limp.
  deadlineMs: 10_000,
  pathParameters: movePath,
  body: { kind: 'json', schema: moveRequest, maxBytes: QUERY_BODY },
  answer: moveAnswer,
  errors: ['MOVE_IN_PROGRESS'],
  log: { operation: 'admin', action: 'municipality.move' },
  handle: async ({ path: { code }, body: { to } }, context) =>
    withSubject({ target: code }, async () => ({
      answer: await context.deadline.race(moveMunicipality(context, code, to)),
      municipality: code,
      target: code,
    })),
});
