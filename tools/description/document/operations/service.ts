import { description, health, ready } from '../../../../src/serving/service/operations.ts';
import { ENVELOPE } from '../examples/envelope.ts';
import { type DescribedOperation, describe } from '../openapi/parts.ts';

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe(description, {
    section: 'Service',
    summary: 'Get this description',
    words:
      'This document. Pages of any origin may fetch it. Keep it for five minutes, then ask with `If-None-Match`.',
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
  describe(ready, {
    section: 'Service',
    summary: 'Ask whether the service can work',
    words: [
      'Whether the home database, KV, the credentials’ objects and the secrets work. For monitoring and deployments. An isolate',
      'keeps the answer for five seconds.',
    ].join('\n'),
    answer: {
      words: 'It can.',
      examples: {
        ready: { summary: 'All is well', value: { ...ENVELOPE, ready: true, degraded: [] } },
        degraded: {
          summary: 'A database is away',
          value: { ...ENVELOPE, ready: true, degraded: ['database:DB_2'] },
        },
      },
    },
  }),
];
