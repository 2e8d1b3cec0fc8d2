import { describe, expect, it } from 'vitest';
import { filesBelow, importsOf, source, withoutComments } from './source.ts';

describe('Who calls', () => {
  const files = filesBelow('src').filter((path) => !/^src\/serving\/(access|middleware)\//.test(path));

  it('is decided by the access and the middleware alone: no operation asks', () => {
    const asking = files.filter((path) => importsOf(path).includes('src/serving/access/presented-token.ts'));
    expect(asking).toEqual([]);
    const reading = files.filter((path) => /\.ADMIN_TOKEN/.test(withoutComments(source(path))));
    expect(reading).toEqual([]);
  });

  it('is in no field of what an office’s operation gets: it gets bounds, and no grant', () => {
    const bounded = files
      .filter((path) => !path.startsWith('src/serving/'))
      .filter((path) => /\bBounds\b|\bbounds\.\w+\(/.test(withoutComments(source(path))));
    expect(bounded.length).toBeGreaterThan(5);
    expect(bounded.filter((path) => /\bgrant\b/.test(withoutComments(source(path))))).toEqual([]);
  });
});
