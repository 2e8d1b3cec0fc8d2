import { listDatabases } from '../../../../src/upkeep/databases/operation.ts';
import { ENVELOPE, REQUEST_ID } from '../examples/envelope.ts';
import { type DescribedOperation, describe } from '../openapi/parts.ts';

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe(listDatabases, {
    section: 'Administration',
    summary: 'List the databases',
    words:
      'Returns the databases of the deployment, with their sizes and municipalities. The home, `DB`, comes first. A new municipality is created in the `database` of its configuration.',
    answer: {
      words: 'The databases.',
      example: {
        ...ENVELOPE,
        request_id: REQUEST_ID,
        databases: [
          { name: 'DB', municipalities: ['A944', 'L378'], size_bytes: 1_204_224 },
          { name: 'DB_2', municipalities: ['L219'], size_bytes: 847_872 },
        ],
      },
    },
  }),
];
