import { Hono } from 'hono';
import { authenticate } from '../access/authenticate.ts';
import type { IsolateMemory } from '../access/isolate-memory.ts';
import type { AppEnv } from '../http/context.ts';
import { methodNotAllowed, operation } from '../http/operation.ts';
import { importSessions } from './import-sessions.ts';
import { importSubscriptions } from './import-subscriptions.ts';
import { ImportPlaces } from './place.ts';

/**
 * What a whole import may take. Its batches have deadlines of their own and no file has more than some hundred of them,
 * which take seconds: this only keeps a database that limps from holding the caller for ever.
 */
const IMPORT_MS = 300_000;

/** The imports: whoever sells parking sends its sessions, the office its subscriptions. */
export function importRoutes(memory: IsolateMemory): Hono<AppEnv> {
  const importer = authenticate(memory, {
    scope: 'import',
    budget: 'imports',
    tokenHeaders: 'authorization_only',
    fallsBack: false,
  });
  const places = new ImportPlaces();
  const app = new Hono<AppEnv>();
  app
    .post('/api/v2/imports/sessions', operation('import_sessions', IMPORT_MS), importer, (c) =>
      importSessions(c, places),
    )
    .all(methodNotAllowed('POST'));
  app
    .post('/api/v2/imports/subscriptions', operation('import_subscriptions', IMPORT_MS), importer, (c) =>
      importSubscriptions(c, places),
    )
    .all(methodNotAllowed('POST'));
  return app;
}
