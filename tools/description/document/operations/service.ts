import { description, health, ready } from '../../../../src/serving/service/contract.ts';
import { type DescribedOperation, describe } from '../openapi/parts.ts';

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe('Service', description, {
    summary: 'Get this description',
    words:
      'This document. Pages of any origin may fetch it. Keep it for five minutes, then ask with `If-None-Match`.',
  }),
  describe('Service', health, {
    summary: 'Ask whether the service answers',
    words: 'Touches no storage.',
  }),
  describe('Service', ready, {
    summary: 'Ask whether the service can work',
    words: [
      'Whether the database, KV, the credentials’ objects and the secrets work. For monitoring and deployments. An isolate',
      'keeps the answer for five seconds.',
    ].join('\n'),
    answer: { degraded: [] },
  }),
];
