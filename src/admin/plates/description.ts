import { ENVELOPE, ENVELOPE_WORDS, inEnvelope } from '../../openapi/envelope.ts';
import { describe, type FeatureDescription } from '../../openapi/parts.ts';
import { input, output } from '../../openapi/words.ts';
import { erasureOfPlate, exportOfPlate } from './operations.ts';
import { erasureRequest, exportRequest } from './request.ts';
import { erasureAnswer, exportAnswer } from './response.ts';

const WHOSE = {
  tenant: 'The code of the tenant that the person turned to.',
  plate: 'The plate, normalized as in a plate check.',
} as const;

const EXPORT = input('PlateExportRequest', exportRequest, 'Whose plate, and from where on.', {
  ...WHOSE,
  after: 'The `next` of the answer before. Null and absent are the same: from the beginning.',
});
const ERASE = input('PlateErasureRequest', erasureRequest, 'Whose plate.', WHOSE);

const EXPORTED = output('PlateExportResponse', inEnvelope(exportAnswer), 'What is held on a plate.', {
  ...ENVELOPE_WORDS,
  sessions: 'Its sessions, each as an import’s line has it.',
  subscriptions: 'Its subscriptions: the plate’s own part, and no other plate of them.',
  history: 'The journal’s changes of the plate, as evidence shows them.',
  calls: 'The calls about the plate, as the call look-up shows them.',
  next: 'To be sent as `after`, for what is left. Null at the end. Where a municipality moves to another database meanwhile, what was told before may be told again.',
});

const ERASED = output('PlateErasureResponse', inEnvelope(erasureAnswer), 'What was erased by this call.', {
  ...ENVELOPE_WORDS,
  erased: 'How many of each have lost the plate. All are 0 where nothing was left of it.',
  more: 'True when there may be more: the same call again goes on.',
});

const example = { tenant: 'acme', plate: 'AB123CD' };

export const DESCRIPTION: FeatureDescription = {
  parts: [],
  operations: [
    describe(exportOfPlate, {
      section: 'Administration',
      summary: 'Export what is held on a plate',
      words:
        'Everything that is held on a plate in a tenant’s municipalities: at most 1,000 of each kind, fewer where they are large, and `next` continues it. A plate that nobody knows is an empty export. Who asks has to be known to hold the vehicle: that is for the office to make sure of.',
      body: {
        words: 'Whose plate.',
        component: EXPORT,
        examples: { plate: { summary: 'A plate', value: example } },
      },
      answer: {
        words: 'What is held.',
        component: EXPORTED,
        examples: {
          nothing: {
            summary: 'A plate that nobody knows',
            value: { ...ENVELOPE, sessions: [], subscriptions: [], history: [], calls: [], next: null },
          },
        },
      },
    }),
    describe(erasureOfPlate, {
      section: 'Administration',
      summary: 'Erase a plate',
      words:
        'From then on nothing of a tenant’s holds the plate. Sessions stay for their counts, with a pseudonym in its place; a subscription loses it; in kept requests and answers it is masked. A line of an import that names it again for the same session or subscription does not bring it back; a new session or subscription does. Each call does a bounded part: while `more` is true, call again. After a 500, call again.',
      body: {
        words: 'Whose plate.',
        component: ERASE,
        examples: { plate: { summary: 'A plate', value: example } },
      },
      answer: {
        words: 'What was erased.',
        component: ERASED,
        examples: {
          erased: {
            summary: 'Two sessions and a subscription',
            value: {
              ...ENVELOPE,
              erased: { sessions: 2, subscriptions: 1, history: 4, calls: 3 },
              more: false,
            },
          },
        },
      },
    }),
  ],
};
