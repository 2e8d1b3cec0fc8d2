import { expect } from 'vitest';
import { makeDocument } from '../../tools/description/document/openapi/document.ts';
import type { Suite } from '../suites/suite.ts';
import { Contract, type Description } from '../support/contract.ts';
import { DESCRIPTION } from './description.ts';
import { countAreas, countLetters } from './operation.ts';

const OPERATIONS = [countAreas, countLetters];

/** What `npm run generate` would make of the toys. */
export const TOY_DOCUMENT: Description = JSON.parse(JSON.stringify(makeDocument(OPERATIONS, DESCRIPTION)));

/** The toys, as the shared suites are given them: a list of their own, their document and their right answers. */
export const TOYS: Suite = {
  listed: OPERATIONS,
  operations: OPERATIONS,
  contract: new Contract(TOY_DOCUMENT),
  rightAnswers: {
    countAreas: { leastBody: '{}', body: () => ({}), right: { areas_count: 2 }, asksObject: true },
    countLetters: {
      body: (serial) => ({ name: `Roma ${serial}` }),
      right: { letters_count: expect.any(Number) },
      asksDatabase: false,
    },
  },
};
