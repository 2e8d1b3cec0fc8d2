import type { App } from '../../serving/call.ts';
import { logged } from '../../serving/middleware/call-log.ts';
import { credential } from '../../serving/middleware/credential.ts';
import { deadline } from '../../serving/middleware/deadline.ts';
import { lines } from '../../serving/middleware/lines.ts';
import { officer } from '../../serving/middleware/officer.ts';
import { query } from '../../serving/middleware/parameters.ts';
import { importSessions, importSubscriptions } from './contract.ts';
import { importSessionFile, importSubscriptionFile } from './import-lines.ts';

/** Mounts the imports. */
export function importRoutes(app: App): void {
  app.post(
    importSessions.path,
    logged(importSessions),
    deadline(importSessions.deadlineMs),
    credential(importSessions.access),
    lines(importSessions.body),
    officer,
    query(importSessions.query),
    importSessionFile,
  );
  app.post(
    importSubscriptions.path,
    logged(importSubscriptions),
    deadline(importSubscriptions.deadlineMs),
    credential(importSubscriptions.access),
    lines(importSubscriptions.body),
    officer,
    query(importSubscriptions.query),
    importSubscriptionFile,
  );
}
