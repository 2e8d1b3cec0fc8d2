import { ENVELOPE, REQUEST_ID } from '../../openapi/envelope.ts';
import { type DescribedOperation, describe } from '../../openapi/parts.ts';
import { callOff, listDatabases, move } from './operations.ts';

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe(listDatabases, {
    section: 'Administration',
    summary: 'List the databases',
    words:
      'The databases that the service is deployed with, how large each is, and which municipalities live in it. The home, `DB`, comes first. A new municipality goes where the `database` of its configuration says.',
    answer: {
      words: 'The databases.',
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
      'Moves a municipality a part of the way, within five seconds: repeat the call until `state` is `done`. It may be cut off anywhere, and goes on with the next call. Checks, reports and imports go on meanwhile, and their answers stay the same; only while it switches, for some seconds, imports, configuration and erasures of this municipality are answered 503 `MUNICIPALITY_MOVING`. For an hour `done` is answered once more. A database that is full or not bound is a 422 at `to`: the move can be called off.',
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
      'Calls the move of a municipality off, a part of the way: repeat the call until `state` is `called_off`, which is answered once more for an hour. The municipality has lived where it was all along; its copy is deleted, unless its database is not bound or is away. Once the switch has begun, the move can only be finished: 409 `MOVE_IN_PROGRESS`. Where no move is under way: 404.',
    parameters: { code: 'L219' },
    answer: {
      words: 'How far it has come.',
      examples: {
        off: { summary: 'Called off', value: { ...ENVELOPE, request_id: REQUEST_ID, state: 'called_off' } },
      },
    },
  }),
];
