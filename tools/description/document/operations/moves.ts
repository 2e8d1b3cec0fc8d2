import { type BackupHeader, type PartEnd, sentLine } from '../../../../src/upkeep/transfer/contract.ts';
import { backUp, callOff, discard, move, restore } from '../../../../src/upkeep/transfer/operations.ts';
import { TENANT } from '../examples/city.ts';
import { ENVELOPE, REQUEST_ID } from '../examples/envelope.ts';
import { type DescribedOperation, describe } from '../openapi/parts.ts';

const AFTER = 'q0Lx7vE2Yk1zT5hN8RwPdu3A';
const BACKUP: BackupHeader = {
  type: 'backup',
  format: 1,
  schema: 0,
  backup_id: '0f8fad5b-d9cb-469f-a165-70867728950e',
  part: 1,
  begun_at: '2026-03-07T16:44:12.000Z',
  tenant: TENANT,
  municipality_code: 'L219',
  municipality_id: 7_102_934_410,
  after: null,
  columns: { source_import: ['source_id', 'last_outcome'] },
};
const END: PartEnd = { type: 'part', after: AFTER, more: true };
const PART = [BACKUP, { type: 'row', kind: 'source_import', values: [3, 'succeeded'] }, END]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('');

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe(move, {
    section: 'Administration',
    summary: 'Move a municipality to another database',
    words:
      'Moves a municipality, a part with each call of up to five seconds: repeat it until `state` is `done`. It may be cut off anywhere, and the next call continues it. Checks, reports and imports go on meanwhile, and their answers stay the same; only while it switches, for some seconds, imports, configuration and erasures of this municipality are answered 503 `MUNICIPALITY_MOVING`. For an hour afterwards, further calls answer `done`. A database that is full or not bound is a 422 at `to`: the move can be called off.',
    parameters: { code: 'L219' },
    body: {
      words: 'Where it is to go.',
      examples: { second: { summary: 'To the second database', value: { to: 'DB_2' } } },
    },
    answer: {
      words: 'How far it has come.',
      examples: {
        copying: {
          summary: 'On its way',
          value: {
            ...ENVELOPE,
            request_id: REQUEST_ID,
            ...{ state: 'copying', copied: 41_200, remaining: 18_311 },
          },
        },
      },
    },
  }),
  describe(callOff, {
    section: 'Administration',
    summary: 'Call a move off',
    words:
      'Calls off the move of a municipality, a part with each call: repeat it until `state` is `called_off`, which is also answered for an hour afterwards. The municipality stays where it is; its copy is deleted, unless its database is not bound or is away. Once the switch has begun, the move can only be finished: 409 `MOVE_IN_PROGRESS`. Where no move is under way: 404.',
    parameters: { code: 'L219' },
    answer: {
      words: 'How far it has come.',
      examples: {
        off: { summary: 'Called off', value: { ...ENVELOPE, request_id: REQUEST_ID, state: 'called_off' } },
      },
    },
  }),
  describe(backUp, {
    section: 'Administration',
    summary: 'Back up a municipality, part by part',
    words:
      'The next part of a backup of one municipality, newline-delimited JSON of at most 8 MiB: its configuration, sessions, subscriptions and their past, and no calls. Send each part’s `after` for the next one, while `more` is true. Every part can be taken again. Imports go on meanwhile; together the parts are the municipality as it was when the backup was begun. Where a plate was erased meanwhile, or the municipality has moved, it is a 410 `CURSOR_GONE`: begin again. The parts hold plates in clear: keep them as you keep the database.',
    parameters: { code: 'L219' },
    answer: {
      words: 'A header, rows, and the end of the part.',
      examples: { part: { summary: 'A small part', value: PART } },
    },
  }),
  describe(restore, {
    section: 'Administration',
    summary: 'Restore a municipality from a backup, part by part',
    words:
      'Takes the parts of a backup in their order, each as it was answered. Sending a part again changes nothing; any other than the next is a 409. Nothing can be read of the municipality until the last part is taken: repeat that until `state` is `done`. Plates that were erased since the backup was begun are erased again before. A municipality that can be read anywhere is a 409 `MUNICIPALITY_READABLE`; one whose database is lost is not. Unknown tenants and databases, another municipality’s backup, and one that is older than `BACKUP_RETENTION_DAYS` are a 422.',
    parameters: { code: 'L219', tenant: TENANT, to: 'DB' },
    body: {
      words: 'A part of a backup.',
      schema: sentLine,
      examples: { part: { summary: 'A small part', value: PART } },
    },
    answer: {
      words: 'How far it has come.',
      examples: {
        restoring: {
          summary: 'More parts to come',
          value: { ...ENVELOPE, request_id: REQUEST_ID, state: 'restoring', restored: 7_214 },
        },
      },
    },
  }),
  describe(discard, {
    section: 'Administration',
    summary: 'Discard a restore',
    words:
      'Deletes what an unfinished restore has stored, a part with each call: repeat it until `state` is `discarded`. Where no restore is under way: 404.',
    parameters: { code: 'L219' },
    answer: {
      words: 'How far it has come.',
      examples: {
        discarded: {
          summary: 'Discarded',
          value: { ...ENVELOPE, request_id: REQUEST_ID, state: 'discarded' },
        },
      },
    },
  }),
];
