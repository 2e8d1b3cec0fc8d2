import { describe, expect, it } from 'vitest';
import { findVersion } from '../../src/serving/http/versions.ts';

/** Asks for so many long answers made from one source, and returns how many were written. */
async function written(source: object, answers: number): Promise<number> {
  let count = 0;
  for (let key = 0; key < answers; key += 1) {
    await findVersion(source, String(key), () => {
      count += 1;
      return String(key).padEnd(200_000);
    });
  }
  return count;
}

describe('Answers that many readers ask for', () => {
  it('are written once', async () => {
    const source = {};
    expect([await written(source, 40), await written(source, 40)]).toEqual([40, 0]);
  });

  it('take a bounded room of the isolate, however many of them strangers ask for', async () => {
    const sources = [{}, {}, {}];
    for (const source of sources) await written(source, 100);
    expect(await written(sources[0] ?? {}, 1)).toBe(1);
  });
});
