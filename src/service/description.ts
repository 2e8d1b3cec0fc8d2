import { successEnvelope } from '../http/envelope-schemas.ts';
import { ENVELOPE, ENVELOPE_WORDS } from '../openapi/envelope.ts';
import { describe, type FeatureDescription } from '../openapi/parts.ts';
import { output } from '../openapi/words.ts';
import { description, health } from './operations.ts';

const HEALTH = output('HealthResponse', successEnvelope, 'The service answers.', ENVELOPE_WORDS);

export const DESCRIPTION: FeatureDescription = {
  parts: [],
  operations: [
    describe(description, {
      section: 'Service',
      summary: 'Get this description',
      words:
        'This document. Public, for pages of any origin; it may be kept for five minutes, then asked for with `If-None-Match`.',
      answer: { words: 'The description.', component: null, examples: {} },
    }),
    describe(health, {
      section: 'Service',
      summary: 'Ask whether the service answers',
      words: 'Touches no storage.',
      answer: {
        words: 'It does.',
        component: HEALTH,
        examples: { healthy: { summary: 'It answers', value: ENVELOPE } },
      },
    }),
  ],
};
