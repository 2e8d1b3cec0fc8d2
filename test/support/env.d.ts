import type { D1Migration } from '@cloudflare/vitest-plugin';

declare global {
  namespace Cloudflare {
    interface Env {
      readonly TEST_MIGRATIONS: D1Migration[];
      /** The database of another deployment, into which cities are restored. */
      readonly OTHER_CELL: D1Database;
    }
  }
}
