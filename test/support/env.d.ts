import type { D1Migration } from '@cloudflare/vitest-plugin';

declare global {
  namespace Cloudflare {
    interface Env {
      readonly TEST_MIGRATIONS: D1Migration[];
      /** Databases besides the home: see `several.ts`. */
      readonly SECOND: D1Database;
      readonly THIRD: D1Database;
    }
  }
}
