import { beforeAll, beforeEach, vi } from 'vitest';
import { issueCredential, type TestCredential } from './credential.ts';
import { freshDatabase } from './fresh-database.ts';
import type { Seed } from './seed.ts';
import { type Answer, Service } from './service.ts';

interface Begun {
  /** Where the clock stands at the begin of each test. It goes if this is absent. */
  readonly now?: number;
  /** Whether each test begins with the rows alone, and an isolate of its own; else the file does. */
  readonly anew?: boolean;
}

/** A seeded city, and a caller with every scope but an office's. */
export class City {
  service = new Service();
  #credential: TestCredential | undefined;

  /** Registers the city for the tests of a file. */
  constructor(rows: Seed, { now, anew = false }: Begun = {}) {
    const begin = async () => {
      await freshDatabase(rows);
      this.service = new Service();
      this.#credential = await issueCredential();
    };
    if (anew) beforeEach(begin);
    else beforeAll(begin);
    if (now === undefined) return;
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['Date'], now });
      return () => vi.useRealTimers();
    });
  }

  get credential(): TestCredential {
    if (this.#credential === undefined) throw new Error('no test has begun');
    return this.#credential;
  }

  get headers(): Record<string, string> {
    return this.credential.headers;
  }

  /** Calls the service, and waits for what it does after its answer. */
  post(
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
    service = this.service,
  ): Promise<Answer> {
    return service.settle(path, { method: 'POST', body, headers: { ...this.headers, ...headers } });
  }
}

/** An answer's status, and the code of its error. */
export const outcomeOf = ({ status, body }: Answer): [number, string | undefined] => [
  status,
  (body?.error as { code: string } | undefined)?.code,
];
