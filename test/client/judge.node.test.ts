import { describe, expect, it } from 'vitest';
import { expectedOf } from '../../clients/client/caller.ts';
import { judge, type Received } from '../../clients/client/calls/judge.ts';
import { HEALTHY, REQUEST_ID } from './scripted-service.ts';

const HEALTH = expectedOf('getHealth');
const ANOTHER_ID = '00000000-6f0e-4a53-9d0c-0d7f4f6c1b52';

const received = (status: number, body: unknown, more: Partial<Received> = {}): Received => ({
  status,
  contentType: 'application/json',
  requestIdHeader: null,
  retryAfter: null,
  text: typeof body === 'string' ? body : JSON.stringify(body),
  ...more,
});
const envelope = (code: string, details?: object) => ({
  success: false,
  ok: false,
  request_id: REQUEST_ID,
  error: { code, message: 'A text.', ...(details && { details }) },
});

describe('An answer', () => {
  it('is a 200 in the shape of the description', () => {
    expect(judge(received(200, HEALTHY), HEALTH)).toEqual({
      kind: 'answer',
      answer: HEALTHY,
      requestId: REQUEST_ID,
    });
  });

  it('may have fields that this client does not know', () => {
    expect(judge(received(200, { ...HEALTHY, region: 'weur' }), HEALTH).kind).toBe('answer');
  });

  it.each([
    ['a page of HTML', received(200, '<html>', { contentType: 'text/html', text: null })],
    ['JSON that was cut short', received(200, JSON.stringify(HEALTHY).slice(0, -5))],
    ['somebody else’s object', received(200, { ok: true })],
    ['another status of success', received(201, HEALTHY)],
    ['an envelope that says no success', received(200, { ...HEALTHY, success: false })],
    ['an answer whose header names another call', received(200, HEALTHY, { requestIdHeader: ANOTHER_ID })],
    ['an error with the status of a success', received(200, envelope('TEMPORARY_ERROR'))],
  ])('is not %s: somebody else has answered, and it is tried again', (_, answer) => {
    expect(judge(answer, HEALTH)).toMatchObject({
      kind: 'failure',
      ours: false,
      again: true,
      failure: { ok: false, failure: 'unavailable', code: 'NOT_OUR_ANSWER' },
    });
  });

  it.each([0, 302, 308])('is not a redirect (%i), which is not tried again', (status) => {
    expect(judge(received(status, HEALTHY), HEALTH)).toMatchObject({
      ours: false,
      again: false,
      failure: { failure: 'unavailable', code: 'REDIRECTED' },
    });
  });
});

describe('An error of the service', () => {
  it.each([
    [401, 'TOKEN_REVOKED', 'misconfigured'],
    [403, 'SCOPE_NOT_ALLOWED', 'misconfigured'],
    [403, 'MUNICIPALITY_NOT_ALLOWED', 'refused'],
    [405, 'METHOD_NOT_ALLOWED', 'misconfigured'],
    [410, 'CURSOR_GONE', 'refused'],
    [422, 'INVALID_PLATE', 'refused'],
    [429, 'RATE_LIMIT_EXCEEDED', 'limited'],
  ])('%i %s is “%s”, and never tried again', (status, code, failure) => {
    expect(judge(received(status, envelope(code)), HEALTH)).toEqual({
      kind: 'failure',
      failure: { ok: false, failure, code, message: 'A text.', requestId: REQUEST_ID },
      ours: true,
      again: false,
      notBeforeMs: 0,
    });
  });

  it('with a code of tomorrow is what its status says, under a code of today', () => {
    expect(judge(received(422, envelope('A_CODE_OF_TOMORROW')), HEALTH)).toMatchObject({
      failure: { failure: 'refused', code: 'UNKNOWN_CODE', unknownCode: 'A_CODE_OF_TOMORROW' },
      again: false,
    });
  });

  it('of the budget says when to come back', () => {
    const limited = received(429, envelope('RATE_LIMIT_EXCEEDED'), { retryAfter: '17' });
    expect(judge(limited, HEALTH)).toMatchObject({ failure: { retryAfterSeconds: 17 } });
  });

  it('of fields lists them', () => {
    const issues = [{ path: 'plate', message: 'must be a text' }];
    expect(judge(received(422, envelope('INVALID_REQUEST', { issues })), HEALTH)).toMatchObject({
      failure: { issues },
    });
  });

  it('on its own side is tried again at once, whatever Retry-After says: a driver may be waiting', () => {
    const failed = received(500, envelope('TEMPORARY_ERROR'), { retryAfter: '1' });
    expect(judge(failed, HEALTH)).toMatchObject({
      again: true,
      notBeforeMs: 0,
      failure: { failure: 'unavailable', code: 'TEMPORARY_ERROR', retryAfterSeconds: 1 },
    });
  });

  it('of the service that is busy is tried again when the service says so', () => {
    const busy = received(503, envelope('NOT_READY'), { retryAfter: '2' });
    expect(judge(busy, HEALTH)).toMatchObject({ again: true, notBeforeMs: 2_000 });
  });
});

describe('An error of somebody between', () => {
  it.each([
    [404, false],
    [502, true],
    [503, true],
  ])('with %i is not a refusal; tried again: %s', (status, again) => {
    for (const body of ['<html>Bad Gateway</html>', { error: 'upstream' }, envelope('X').error]) {
      expect(judge(received(status, body), HEALTH)).toMatchObject({
        ours: false,
        again,
        failure: { failure: 'unavailable', code: 'NOT_OUR_ANSWER' },
      });
    }
  });

  it('that limits calls is reported as a limit', () => {
    const limited = received(429, '<html>', { retryAfter: '30' });
    expect(judge(limited, HEALTH)).toMatchObject({
      ours: false,
      again: false,
      failure: { failure: 'limited', retryAfterSeconds: 30 },
    });
  });
});
