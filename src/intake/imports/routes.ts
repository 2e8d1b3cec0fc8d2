import type { App } from '../../serving/call.ts';
import { serve } from '../../serving/serve.ts';
import { importSessions, importSubscriptions } from './contract.ts';
import { importSessionFile, importSubscriptionFile } from './import-lines.ts';

/** Mounts the imports. */
export function importRoutes(app: App): void {
  serve(app, importSessions, importSessionFile);
  serve(app, importSubscriptions, importSubscriptionFile);
}
