import { refuse, refuseFields } from '../../base/errors/refusal.ts';
import type { Grant } from '../../serving/access/grant.ts';
import type { App, Call } from '../../serving/call.ts';
import { MISSING } from '../../serving/http/validation.ts';
import { grantedCode, requireGranted } from '../../serving/lookups/granted-municipality.ts';
import { serve } from '../../serving/serve.ts';
import { importSessions, importSubscriptions } from './contract.ts';
import { importWithinBounds } from './import-call.ts';
import { Import } from './run-import.ts';
import { SESSIONS } from './sessions-table.ts';
import { SUBSCRIPTIONS } from './subscriptions-table.ts';
import { readTarget, type Target } from './target-table.ts';

/** Mounts the imports. */
export function importRoutes(app: App): void {
  serve(app, importSessions, async (c) => {
    const { source_code, municipality_code, dry_run } = c.req.valid('query');
    const grant = await c.get('admission').granted;
    const sourceCode = source_code ?? grant.sourceCode;
    if (sourceCode === null) refuseFields([{ path: 'source_code', message: MISSING }]);
    const target = await targetOf(c, grant, municipality_code, sourceCode);
    // For a credential that is bound to a source no other exists.
    const isOwn = grant.sourceCode === null || grant.sourceCode === sourceCode;
    if (target.sourceId === null || !isOwn) refuse('SOURCE_NOT_FOUND');
    return importWithinBounds(c, grant, new Import(c, SESSIONS, target, dry_run === 'true'));
  });

  // Subscriptions have no source, so no source's freshness changes.
  serve(app, importSubscriptions, async (c) => {
    const { municipality_code, dry_run } = c.req.valid('query');
    const grant = await c.get('admission').granted;
    const target = await targetOf(c, grant, municipality_code, null);
    return importWithinBounds(c, grant, new Import(c, SUBSCRIPTIONS, target, dry_run === 'true'));
  });
}

/** @throws Refusal `MUNICIPALITY_REQUIRED`, `MUNICIPALITY_NOT_ALLOWED`, `TENANT_DISABLED` */
async function targetOf(
  c: Call,
  grant: Grant,
  named: string | undefined,
  sourceCode: string | null,
): Promise<Target> {
  const code = await grantedCode(c.env.DB, grant, named);
  const target = requireGranted(await readTarget(c.env.DB, code, sourceCode), grant);
  c.get('log').municipalityCode = code;
  return target;
}
