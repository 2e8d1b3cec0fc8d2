import { withSubject } from '../../errors/call-subject.ts';
import { QUERY_BODY } from '../../http/body.ts';
import { operation } from '../../pipeline/operation.ts';
import { callOffMove } from './call-off-move.ts';
import { callOffAnswer, databaseList, moveAnswer, movePath, moveRequest } from './contract.ts';
import { listContents } from './list-contents.ts';
import { moveMunicipality } from './move-municipality.ts';

/** Lists the databases, the home first, with the municipalities that live in each. */
export const listDatabases = operation({
  id: 'listDatabases',
  method: 'GET',
  path: '/api/v2/admin/databases',
  access: { by: 'administrator' },
  // Hundreds of databases, six at a time.
  deadlineMs: 10_000,
  answer: databaseList,
  handle: async (_, { env, deadline }) => ({
    answer: { databases: await deadline.race(listContents(env)) },
  }),
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

/** Calls a move off, a bounded part of the way. */
export const callOff = operation({
  id: 'callOffMove',
  method: 'DELETE',
  path: '/api/v2/admin/municipalities/:code/move',
  access: { by: 'administrator' },
  // As a part of a move.
  deadlineMs: 10_000,
  pathParameters: movePath,
  answer: callOffAnswer,
  errors: ['MOVE_IN_PROGRESS'],
  log: { operation: 'admin', action: 'municipality.call_off_move' },
  handle: async ({ path: { code } }, context) =>
    withSubject({ target: code }, async () => ({
      answer: await context.deadline.race(callOffMove(context.env, code)),
      municipality: code,
      target: code,
    })),
});
