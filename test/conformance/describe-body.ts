import { describe, expect, it } from 'vitest';
import type { Caller } from './caller.ts';
import { expectRefusal } from './envelope.ts';

/** How a body is refused that cannot be read, and that each refusal spends the budget. */
export function describeBody(caller: Caller): void {
  const { contentType, body, maxBytes } = caller.operation;

  describe('the body', () => {
    it.each(['text/plain', '', 'CONTENT; charset=iso-8859-1', 'CONTENT; charset=utf-8; charset=utf-16'])(
      'the content type %j with 415, before the size',
      async (type) => {
        const spent = await caller.oneCall();
        const answer = await caller.send(
          { ...spent.headers, 'Content-Type': type.replace('CONTENT', contentType) },
          new Uint8Array(maxBytes + 1),
        );
        expectRefusal(answer, 415, 'INVALID_CONTENT_TYPE');
        expect(await caller.isUsedUp(spent)).toBe(true);
      },
    );

    it.each(['CONTENT;charset=UTF-8', 'CONTENT ; charset="utf-8"'])(
      'but not the content type %j',
      async (type) => {
        const answer = await caller.send({
          ...caller.credential.headers,
          'Content-Type': type.replace('CONTENT', contentType),
        });
        expect(answer.status).toBe(200);
      },
    );

    it('a body one byte too large with 413, announced or streamed, before its JSON', async () => {
      const tooLarge = new Uint8Array(maxBytes + 1).fill(32);
      const streamed = new Blob([tooLarge]).stream();
      for (const sent of [tooLarge, streamed]) {
        const spent = await caller.oneCall();
        expectRefusal(await caller.send(spent.headers, sent), 413, 'PAYLOAD_TOO_LARGE');
        expect(await caller.isUsedUp(spent)).toBe(true);
      }
    });

    it('takes a body of just the largest size', async () => {
      const padded = body + ' '.repeat(maxBytes - body.length);
      expect((await caller.send(caller.credential.headers, padded)).status).toBe(200);
      expect((await caller.send(caller.credential.headers, new Blob([padded]).stream())).status).toBe(200);
    });

    it('a body that is not UTF-8 with 400', async () => {
      const spent = await caller.oneCall();
      // Corrected, it would be JSON.
      const bytes = new TextEncoder().encode('{"plate":"?"}').map((byte) => (byte === 0x3f ? 0xff : byte));
      expectRefusal(await caller.send(spent.headers, bytes), 400, 'INVALID_JSON');
      expect(await caller.isUsedUp(spent)).toBe(true);
    });
  });
}
