import { describe, expect, it } from 'vitest';
import type { Answer } from '../support/service.ts';
import type { Caller } from './caller.ts';
import { expectEnvelope, expectHeaders } from './envelope.ts';

/** A right answer: its envelope, its headers, its language. */
export function describeAnswers(caller: Caller): void {
  const { budget, answersLines } = caller.operation;

  /** Lines have no envelope: there the id stands in the header alone. */
  const expectOwnId = (answer: Answer) =>
    answersLines ? expectHeaders(answer, 'application/x-ndjson') : expectEnvelope(answer);

  describe('answers', () => {
    it('a valid call, with the envelope and the budget in its headers', async () => {
      const answer = await caller.send(caller.credential.headers);
      expect(answer.status).toBe(200);
      expectOwnId(answer);
      expect(answer.headers.get('RateLimit-Policy')).toBe(`"${budget}";q=10000;w=60`);
      expect(answer.headers.get('RateLimit')).toMatch(new RegExp(`^"${budget}";r=\\d+;t=\\d+$`));
    });

    it('with a request id of its own, whatever the client sends', async () => {
      const sent = '11111111-1111-4111-8111-111111111111';
      const answer = await caller.send({ ...caller.credential.headers, 'X-Request-Id': sent });
      expect(answer.headers.get('X-Request-Id')).not.toBe(sent);
      expectOwnId(answer);
    });

    it.each([
      ['it-IT, en;q=0.5', 'it', 'Nessuna credenziale'],
      ['fr', 'en', 'No credential'],
    ])('to %s in %s', async (preferred, language, said) => {
      const answer = await caller.send({ 'Accept-Language': preferred });
      expect(answer.headers.get('Content-Language')).toBe(language);
      expect(answer.body).toMatchObject({ error: { message: expect.stringContaining(said) } });
    });
  });
}
