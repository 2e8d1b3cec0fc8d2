import { refuse, refuseFields } from '../../base/errors/refusal.ts';
import type { Grant } from '../../serving/access/grant.ts';
import { succeed } from '../../serving/answer.ts';
import type { Call, Validated } from '../../serving/call.ts';
import { MISSING } from '../../serving/http/validation.ts';
import { grantedCode, requireGranted } from '../../serving/lookups/granted-municipality.ts';
import type { SessionImportQuery, sessionImportQuery, subscriptionImportQuery } from './contract.ts';
import { sessionWithoutErased, subscriptionWithoutErased } from './erased.ts';
import { importWithinBounds } from './import-call.ts';
import { type Kind, runImport } from './run-import.ts';
import { readSessionLine, type SessionRow } from './session-line.ts';
import { SESSION_STATEMENTS, sessionLineOf } from './sessions-statements.ts';
import { readSubscriptionLine, type SubscriptionRow } from './subscription-line.ts';
import { SUBSCRIPTION_STATEMENTS, subscriptionLineOf } from './subscriptions-statements.ts';
import { readTarget, type Target } from './target-table.ts';

const SESSIONS: Kind<SessionRow> = {
  read: (line, { areas }) => readSessionLine(line, areas),
  platesOf: ({ plate }) => [plate],
  withoutErased: sessionWithoutErased,
  lineOf: sessionLineOf,
  statements: SESSION_STATEMENTS,
};

const SUBSCRIPTIONS: Kind<SubscriptionRow> = {
  read: readSubscriptionLine,
  platesOf: ({ plates }) => plates.map(([plate]) => plate),
  withoutErased: subscriptionWithoutErased,
  lineOf: subscriptionLineOf,
  statements: SUBSCRIPTION_STATEMENTS,
};

/** Imports a file of one source's parking sessions, and stores the result for the source's freshness. */
export async function importSessionFile(
  c: Call<Validated<'query', typeof sessionImportQuery>>,
): Promise<Response> {
  const query = c.req.valid('query');
  const grant = await c.get('admission').granted;
  const sourceCode = query.source_code ?? grant.sourceCode;
  if (sourceCode === null) refuseFields([{ path: 'source_code', message: MISSING }]);
  const target = await targetOf(c, grant, query, sourceCode);
  // For a credential that is bound to a source no other exists.
  const isOwn = grant.sourceCode === null || grant.sourceCode === sourceCode;
  if (target.sourceId === null || !isOwn) refuse('SOURCE_NOT_FOUND');
  return imported(c, grant, SESSIONS, { target, sourceCode, isDryRun: query.dry_run === 'true' });
}

/** Imports a file of a municipality's subscriptions. They have no source, so no source's freshness changes. */
export async function importSubscriptionFile(
  c: Call<Validated<'query', typeof subscriptionImportQuery>>,
): Promise<Response> {
  const query = c.req.valid('query');
  const grant = await c.get('admission').granted;
  const target = await targetOf(c, grant, query, null);
  return imported(c, grant, SUBSCRIPTIONS, { target, sourceCode: null, isDryRun: query.dry_run === 'true' });
}

/** @throws Refusal `MUNICIPALITY_REQUIRED`, `MUNICIPALITY_NOT_ALLOWED`, `TENANT_DISABLED` */
async function targetOf(
  c: Call,
  grant: Grant,
  query: Pick<SessionImportQuery, 'municipality_code'>,
  sourceCode: string | null,
): Promise<Target> {
  const code = await grantedCode(c.env.DB, grant, query.municipality_code);
  const target = requireGranted(await readTarget(c.env.DB, code, sourceCode), grant);
  c.get('log').municipalityCode = code;
  return target;
}

async function imported<Row extends SessionRow | SubscriptionRow>(
  c: Call,
  grant: Grant,
  kind: Kind<Row>,
  sent: Omit<Parameters<typeof runImport>[2], 'progress'>,
): Promise<Response> {
  const report = await importWithinBounds(c, grant, (progress) => runImport(c, kind, { ...sent, progress }));
  return succeed(c, report);
}
