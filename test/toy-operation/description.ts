import { ENVELOPE } from '../../tools/description/document/examples/envelope.ts';
import { type DescribedOperation, describe } from '../../tools/description/document/openapi/parts.ts';
import { countAreas, countLetters } from './operation.ts';

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe(countAreas, {
    section: 'Reports',
    summary: 'Count areas',
    words: 'Counts the areas of a municipality.',
    parameters: { area_code: 'P1' },
    body: {
      words: 'Which municipality.',
      examples: { roma: { summary: 'Roma', value: { municipality_code: 'H501' } } },
    },
    answer: {
      words: 'Its areas were counted.',
      examples: {
        two: { summary: 'Two areas', value: { ...ENVELOPE, municipality_code: 'H501', areas_count: 2 } },
      },
    },
  }),
  describe(countLetters, {
    section: 'Administration',
    summary: 'Count letters',
    words: 'Counts the letters of a name.',
    body: { words: 'The name.', examples: { roma: { summary: 'Roma', value: { name: 'Roma' } } } },
    answer: {
      words: 'Its letters were counted.',
      examples: { four: { summary: 'Four letters', value: { ...ENVELOPE, letters_count: 4 } } },
    },
  }),
];
