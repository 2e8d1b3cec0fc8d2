import { expect } from 'vitest';
import type { Answer } from '../support/service.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Every answer has the service's own id in the header, and is not to be cached. */
export function expectHeaders({ headers }: Answer, contentType: string): void {
  expect(headers.get('X-Request-Id')).toMatch(UUID);
  expect(headers.get('Cache-Control')).toBe('no-store, private');
  expect(headers.get('Content-Type')).toBe(contentType);
}

/** Every answer with a body of JSON has the service's own id, in the body and the header, and is not to be cached. */
export function expectEnvelope(answer: Answer): void {
  expectHeaders(answer, 'application/json');
  expect(answer.headers.get('X-Request-Id')).toBe(answer.body.request_id);
  expect(answer.body.ok).toBe(answer.status < 400);
  expect(answer.body.success).toBe(answer.status < 400);
}

/** A refusal holds the envelope and nothing else, and says nothing of ours. */
export function expectRefusal(answer: Answer, status: number, code: string): void {
  expect([answer.status, answer.body.error]).toMatchObject([status, { code }]);
  expectEnvelope(answer);
  expect(Object.keys(answer.body)).toEqual(['success', 'ok', 'request_id', 'error']);
  const error = answer.body.error as Record<string, unknown>;
  expect(Object.keys(error).filter((key) => !['code', 'message', 'details'].includes(key))).toEqual([]);
  expect(error.message).toBeTypeOf('string');
  expect(JSON.stringify(answer.body)).not.toMatch(/pev_|select |D1_|SQLITE| at .*\.ts/i);
}
