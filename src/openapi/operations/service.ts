import { successEnvelope } from '../../http/answer-schemas.ts';
import type { Operation } from '../parts.ts';
import { output } from '../words.ts';
import { ENVELOPE, ENVELOPE_WORDS } from './envelope.ts';

const HEALTH = output('HealthResponse', successEnvelope, 'The service answers.', ENVELOPE_WORDS);

export const SERVICE_OPERATIONS: readonly Operation[] = [
  {
    method: 'get',
    path: '/api/v2/openapi.json',
    id: 'getDescription',
    section: 'Service',
    summary: 'Get this description',
    words:
      'This document. Public, for pages of any origin; it may be kept for five minutes, then asked for with `If-None-Match`.',
    access: { by: 'anybody' },
    answer: { status: 200, words: 'The description.', component: null, examples: {} },
    errors: [],
    anyOrigin: true,
    isCached: true,
  },
  {
    method: 'get',
    path: '/health',
    id: 'getHealth',
    section: 'Service',
    summary: 'Ask whether the service answers',
    words: 'Touches no storage.',
    access: { by: 'anybody' },
    answer: {
      status: 200,
      words: 'It does.',
      component: HEALTH,
      examples: { healthy: { summary: 'It answers', value: ENVELOPE } },
    },
    errors: [],
  },
];
