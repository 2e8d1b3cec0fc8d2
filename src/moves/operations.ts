import { withSubject } from '../errors/call-subject.ts';
import { IMPORT_BODY, QUERY_BODY, readBody, tooLarge } from '../http/body.ts';
import { LinesText, operation } from '../pipeline/operation.ts';
import { readBackupPart } from './back-up.ts';
import { callOffMove } from './call-off-move.ts';
import {
  backupQuery,
  callOffAnswer,
  discardAnswer,
  moveAnswer,
  movePath,
  moveRequest,
  partOfBackup,
  restoreAnswer,
  restoreQuery,
} from './contract.ts';
import { discardRestore } from './discard-restore.ts';
import { moveMunicipality } from './move-municipality.ts';
import { restorePart } from './restore.ts';
import { readPart } from './sent-part.ts';

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

/** The next part of a municipality's backup. */
export const backUp = operation({
  id: 'backUpMunicipality',
  method: 'GET',
  path: '/api/v2/admin/municipalities/:code/backup',
  access: { by: 'administrator' },
  // A part takes three at most; and a database may limp.
  deadlineMs: 10_000,
  query: backupQuery,
  pathParameters: movePath,
  answer: partOfBackup,
  envelope: false,
  errors: ['CURSOR_GONE', 'MOVE_IN_PROGRESS'],
  log: { operation: 'admin' },
  handle: async ({ path: { code }, query: { after } }, context) => ({
    answer: new LinesText(await context.deadline.race(readBackupPart(context, code, after))),
    municipality: code,
  }),
});

/** Takes the next part of a municipality's backup. */
export const restore = operation({
  id: 'restoreMunicipality',
  method: 'POST',
  path: '/api/v2/admin/municipalities/:code/restore',
  access: { by: 'administrator' },
  // A part has some dozens of transactions.
  deadlineMs: 60_000,
  query: restoreQuery,
  pathParameters: movePath,
  body: { kind: 'lines', maxBytes: IMPORT_BODY },
  answer: restoreAnswer,
  errors: ['MUNICIPALITY_READABLE', 'PART_OUT_OF_ORDER'],
  log: { operation: 'admin', action: 'municipality.restore' },
  handle: async ({ source, path: { code }, readQuery }, context) =>
    withSubject({ target: code }, async () => {
      const { deadline } = context;
      const { bytes, isWhole } = await deadline.race(readBody(source, IMPORT_BODY));
      if (!isWhole) {
        throw tooLarge(IMPORT_BODY);
      }
      const part = await readPart(bytes);
      return {
        answer: await deadline.race(restorePart(context, code, await readQuery(), part)),
        municipality: code,
        target: code,
      };
    }),
});

/** Throws a restore that has begun away. */
export const discard = operation({
  id: 'discardRestore',
  method: 'DELETE',
  path: '/api/v2/admin/municipalities/:code/restore',
  access: { by: 'administrator' },
  deadlineMs: 10_000,
  pathParameters: movePath,
  answer: discardAnswer,
  log: { operation: 'admin', action: 'municipality.discard_restore' },
  handle: async ({ path: { code } }, context) =>
    withSubject({ target: code }, async () => ({
      answer: await context.deadline.race(discardRestore(context.env, code)),
      municipality: code,
      target: code,
    })),
});
