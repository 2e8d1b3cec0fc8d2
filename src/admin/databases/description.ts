import { ENVELOPE, ENVELOPE_WORDS, inEnvelope, REQUEST_ID } from '../../openapi/envelope.ts';
import { describe, type FeatureDescription } from '../../openapi/parts.ts';
import { input, output } from '../../openapi/words.ts';
import { listDatabases, move } from './operations.ts';
import { movePath, moveRequest } from './request.ts';
import { databaseFields, databaseList, moveAnswer } from './response.ts';

const DATABASE = output('Database', databaseFields, 'A database, and the municipalities that live in it.', {
  name: 'The name of its binding. The home is `DB`.',
  municipalities: 'Codes, in order.',
  size_bytes:
    'How large it is, in bytes. Null: it is away, and its municipalities are those of the home’s directory.',
});

const RESPONSE = output('DatabaseList', inEnvelope(databaseList), 'All databases, the home first.', {
  ...ENVELOPE_WORDS,
  databases: 'The databases.',
});

const PATH = input('MovePath', movePath, 'Which municipality to move.', { code: 'The municipality’s code.' });

const MOVE = input('MoveRequest', moveRequest, 'Where a municipality is to go.', {
  to: 'The name of a database, as the list of databases has it.',
});

const MOVED = output('MoveResponse', inEnvelope(moveAnswer), 'How far a move has come.', {
  ...ENVELOPE_WORDS,
  state:
    '`copying`: its rows are being copied, while everything goes on. `switching`: for some seconds its imports, configuration and erasures are 503. `cleaning`: it lives in its new database, and the old copy is being deleted. `done`.',
  copied: 'Rows that have been copied.',
  remaining: 'Rows of the old database’s journal that are still to be looked at, whosever they are.',
});

export const DESCRIPTION: FeatureDescription = {
  parts: [DATABASE],
  operations: [
    describe(listDatabases, {
      section: 'Administration',
      summary: 'List the databases',
      words:
        'The databases that the service is deployed with, how large each is, and which municipalities live in it. The home, `DB`, comes first. A new municipality goes where the `database` of its configuration says.',
      parameters: [],
      answer: {
        words: 'The databases.',
        component: RESPONSE,
        examples: {
          two: {
            summary: 'A home and one more',
            value: {
              ...ENVELOPE,
              request_id: REQUEST_ID,
              databases: [
                { name: 'DB', municipalities: ['F205', 'H501'], size_bytes: 1_204_224 },
                { name: 'DB_2', municipalities: ['L219'], size_bytes: 847_872 },
              ],
            },
          },
        },
      },
    }),
    describe(move, {
      section: 'Administration',
      summary: 'Move a municipality to another database',
      words:
        'Moves a municipality a part of the way, within five seconds: repeat the call until `state` is `done`. It may be cut off anywhere, and goes on with the next call. Checks, reports and imports go on meanwhile, and their answers stay the same; only while it switches, for some seconds, imports, configuration and erasures of this municipality are answered 503 `MUNICIPALITY_MOVING`.',
      parameters: [{ in: 'path', component: PATH, examples: { code: 'L219' } }],
      body: {
        words: 'Where it is to go.',
        component: MOVE,
        examples: { second: { summary: 'To the second database', value: { to: 'DB_2' } } },
      },
      answer: {
        words: 'How far it has come.',
        component: MOVED,
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
  ],
};
