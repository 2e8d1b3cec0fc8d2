import { afterEach, expect, it, vi } from 'vitest';
import { linesOf } from '../../src/intake/imports/line-reader.ts';

async function textsOf(body: ReadableStream<Uint8Array>, ms: number): Promise<string[]> {
  const texts: string[] = [];
  for await (const lines of linesOf(body, 1_000, ms)) texts.push(...Array.from(lines, ({ text }) => text));
  return texts;
}

afterEach(() => void vi.useRealTimers());

// A body from the network is a stream of the runtime: a read that is waiting rejects when it is cancelled, and not in one of JavaScript.
it.each<[string, TransformStream<Uint8Array, Uint8Array>]>([
  ['the runtime', new IdentityTransformStream()],
  ['JavaScript', new TransformStream()],
])(
  'A body of %s that does not go on in time is a failure of time, not of the body',
  async (_, { readable, writable }) => {
    const writer = writable.getWriter();
    writer.write(new TextEncoder().encode('{"a":1}\n{"b"')).catch(() => {});
    vi.useFakeTimers();
    const reading = expect(textsOf(readable, 85_000)).rejects.toThrow(
      'not all lines were read within 85000 ms',
    );
    await vi.advanceTimersByTimeAsync(85_000);
    await reading;
  },
);

it('A body that breaks off is refused', async () => {
  const { readable, writable } = new IdentityTransformStream();
  const reading = textsOf(readable, 10_000);
  const writer = writable.getWriter();
  await writer.write(new TextEncoder().encode('{"a":1}\n'));
  await writer.abort(new Error('gone'));
  await expect(reading).rejects.toMatchObject({ code: 'INVALID_JSON' });
});
