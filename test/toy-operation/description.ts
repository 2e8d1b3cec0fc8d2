import { ENVELOPE, ENVELOPE_WORDS, inEnvelope } from '../../src/openapi/envelope.ts';
import { describe, type FeatureDescription } from '../../src/openapi/parts.ts';
import { input, output } from '../../src/openapi/words.ts';
import {
  countAreas,
  countAreasAnswer,
  countAreasRequest,
  countLetters,
  countLettersAnswer,
  countLettersRequest,
} from './operation.ts';

export const DESCRIPTION: FeatureDescription = {
  parts: [],
  operations: [
    describe(countAreas, {
      section: 'Reports',
      summary: 'Count areas',
      words: 'Counts the areas of a municipality.',
      body: {
        words: 'Which municipality.',
        component: input('CountAreasRequest', countAreasRequest, 'Which municipality.', {
          municipality_code: 'Its code.',
        }),
        examples: { roma: { summary: 'Roma', value: { municipality_code: 'H501' } } },
      },
      answer: {
        words: 'Its areas were counted.',
        component: output('CountAreasResponse', inEnvelope(countAreasAnswer), 'How many areas there are.', {
          ...ENVELOPE_WORDS,
          municipality_code: 'The code of the municipality.',
          areas_count: 'How many areas it has.',
        }),
        examples: {
          two: { summary: 'Two areas', value: { ...ENVELOPE, municipality_code: 'H501', areas_count: 2 } },
        },
      },
    }),
    describe(countLetters, {
      section: 'Administration',
      summary: 'Count letters',
      words: 'Counts the letters of a name.',
      body: {
        words: 'The name.',
        component: input('CountLettersRequest', countLettersRequest, 'A name.', { name: 'The name.' }),
        examples: { roma: { summary: 'Roma', value: { name: 'Roma' } } },
      },
      answer: {
        words: 'Its letters were counted.',
        component: output(
          'CountLettersResponse',
          inEnvelope(countLettersAnswer),
          'How many letters there are.',
          {
            ...ENVELOPE_WORDS,
            letters_count: 'How many letters the name has.',
          },
        ),
        examples: { four: { summary: 'Four letters', value: { ...ENVELOPE, letters_count: 4 } } },
      },
    }),
  ],
};
