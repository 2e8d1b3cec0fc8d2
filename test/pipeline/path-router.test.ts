import { describe, expect, it } from 'vitest';
import { PathRouter } from '../../src/serving/pipeline/routes.ts';

/** A router of these routes, and the handlers that it finds, by their names. */
function routerOf(...routes: readonly (readonly [method: string, path: string, name: string])[]) {
  const router = new PathRouter<string>();
  for (const route of routes) router.add(...route);
  return {
    router,
    found: (method: string, path: string) => router.match(method, path)[0].map(([name]) => name),
  };
}

describe('A router of paths', () => {
  it('finds the same handlers however often it is asked, in the order of their routes', () => {
    const { found } = routerOf(['ALL', '/a/:id', 'any'], ['ALL', '/a/b', 'one'], ['ALL', '/a/*', 'below']);
    for (let asked = 0; asked < 3; asked += 1) {
      expect(found('GET', '/a/b')).toEqual(['any', 'one', 'below']);
      expect(found('GET', '/a/c')).toEqual(['any', 'below']);
      expect(found('GET', '/b')).toEqual([]);
    }
  });

  it('tells the methods of a path apart', () => {
    const { found } = routerOf(['GET', '/a', 'read'], ['POST', '/a', 'write']);
    for (let asked = 0; asked < 3; asked += 1) {
      expect(found('GET', '/a')).toEqual(['read']);
      expect(found('POST', '/a')).toEqual(['write']);
      expect(found('DELETE', '/a')).toEqual([]);
    }
  });

  it('finds a route that was added after it was asked', () => {
    const { router, found } = routerOf(['ALL', '/a', 'first']);
    expect(found('GET', '/a')).toEqual(['first']);
    router.add('ALL', '/*', 'second');
    expect(found('GET', '/a')).toEqual(['first', 'second']);
  });
});
