import type { Result, Router } from 'hono/router';
import { TrieRouter } from 'hono/router/trie-router';

/**
 * Hono's trie, asked once for each path without parameters and each of the runtime's few methods: its search takes up to a
 * tenth of a refusal.
 *
 * Hono's default router compiles an expression on an isolate's first call: 12 to 15 ms of CPU that a trie saves.
 */
export class PathRouter<T> implements Router<T> {
  readonly name = 'PathRouter';
  readonly #trie = new TrieRouter<T>();
  readonly #fixed = new Set<string>();
  readonly #found = new Map<string, Result<T>>();

  add(method: string, path: string, handler: T): void {
    this.#trie.add(method, path, handler);
    this.#fixed.add(path);
    this.#found.clear();
  }

  match(method: string, path: string): Result<T> {
    const search = () => this.#trie.match(method, path);
    // Only what is written like a route's own path: others are without number.
    return this.#fixed.has(path) ? this.#found.getOrInsertComputed(`${method} ${path}`, search) : search();
  }
}
