import { ENVELOPE } from '../openapi/envelope.ts';
import { type DescribedOperation, describe } from '../openapi/parts.ts';
import { description, health } from './operations.ts';

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe(description, {
    section: 'Service',
    summary: 'Get this description',
    words:
      'This document. Public, for pages of any origin; it may be kept for five minutes, then asked for with `If-None-Match`.',
    answer: { words: 'The description.', examples: {} },
  }),
  describe(health, {
    section: 'Service',
    summary: 'Ask whether the service answers',
    words: 'Touches no storage.',
    answer: {
      words: 'It does.',
      examples: { healthy: { summary: 'It answers', value: ENVELOPE } },
    },
  }),
];
