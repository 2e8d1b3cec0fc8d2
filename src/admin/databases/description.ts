import { ENVELOPE, ENVELOPE_WORDS, inEnvelope, REQUEST_ID } from '../../openapi/envelope.ts';
import { describe, type FeatureDescription } from '../../openapi/parts.ts';
import { output } from '../../openapi/words.ts';
import { listDatabases } from './operations.ts';
import { databaseFields, databaseList } from './response.ts';

const DATABASE = output('Database', databaseFields, 'A database, and the municipalities that live in it.', {
  name: 'The name of its binding. The home is `DB`.',
  municipalities: 'Codes, in order.',
  size_bytes: 'How large it is, in bytes.',
});

const RESPONSE = output('DatabaseList', inEnvelope(databaseList), 'All databases, the home first.', {
  ...ENVELOPE_WORDS,
  databases: 'The databases.',
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
  ],
};
