import type { Client, Result } from '../../client/index.ts';
import type { Office } from '../office.ts';
import { NO_MUNICIPALITY } from '../profiles/try-token.ts';
import { VERSION } from '../version.ts';
import type { Scope } from '../wire-names.ts';
import { aheadOf, watchedClock } from './clock.ts';
import type { Findings, Right, SecretFinding } from './findings.ts';

/** The version is good to know, and not worth a long wait. */
const VERSION_BUDGET_MS = 2_000;

/** Asks the service everything that calls depend on. What fails is a finding, never the end. */
export async function examine(office: Office): Promise<Findings> {
  const { connection } = office;
  const clock = watchedClock();
  const client = office.clientOf(connection, clock.fetch);
  const health = await client.getHealth({}, office.call);
  const about = {
    parking: VERSION,
    profile: connection.profileName,
    from_environment: connection.fromEnvironment,
    url: connection.url,
    reachable: health.ok,
    failure: health.ok ? null : `${health.message ?? ''} (${health.code})`.trim(),
    answered_in_ms: health.ok ? health.tookMs : null,
    municipality: connection.municipality ?? null,
  };
  if (!health.ok) {
    return { ...about, service_version: null, clock_ahead_seconds: null, secrets: unknownSecrets(office) };
  }
  const description = await client.getDescription({}, { ...office.call, budgetMs: VERSION_BUDGET_MS });
  const secrets = [await accessToken(office, client), await adminToken(office, client)];
  return {
    ...about,
    service_version: description.ok ? versionIn(description.answer) : null,
    clock_ahead_seconds: clock.aheadSeconds() ?? (await aheadByCheck(office, client, secrets)),
    secrets: await withRights(client, office, secrets),
  };
}

/** Where answers have no `Date`, as on a developer's machine: a plate check says by which instant it judged. */
async function aheadByCheck(
  office: Office,
  client: Client,
  [access]: readonly SecretFinding[],
): Promise<number | null> {
  if (access?.scopes?.plate_check !== 'allowed') return null;
  const sentAt = Date.now();
  const checked = await client.checkPlate({ plate: 'A', ...office.municipality(undefined) }, office.call);
  return checked.ok ? aheadOf(sentAt, Date.now(), Date.parse(checked.answer.checked_at), 0) : null;
}

function versionIn(description: unknown): string | null {
  const info: unknown = Object(description).info;
  const version: unknown = Object(info).version;
  return typeof version === 'string' ? version : null;
}

const nothing = { code: null, credential_id: null, scopes: null, credential: null };

function unknownSecrets({ connection }: Office): SecretFinding[] {
  const state = (token: string | undefined): SecretFinding['state'] =>
    token === undefined ? 'not_set' : 'unknown';
  return [
    { ...nothing, kind: 'access', state: state(connection.accessToken) },
    { ...nothing, kind: 'admin', state: state(connection.adminToken) },
  ];
}

/** Each scope's operation, asked about a municipality that cannot be: the refusal tells whether the scope is there. */
const PROBES: Readonly<Record<Scope, (client: Client, call: Office['call']) => Promise<Result<unknown>>>> = {
  plate_check: (client, call) => client.checkPlate({ plate: 'A', municipality_code: NO_MUNICIPALITY }, call),
  subscription_options: (client, call) =>
    client.findSubscriptionOptions({ plate: 'A', municipality_code: NO_MUNICIPALITY }, call),
  report: (client, call) => client.reportActiveByArea({ municipality_code: NO_MUNICIPALITY }, call),
  import: (client, call) =>
    client.importSessions({ lines: [] }, { municipality_code: NO_MUNICIPALITY, source_code: '-' }, call),
  entitlement_list: (client, call) =>
    client.getEntitlementListPage({ area_code: '-', municipality_code: NO_MUNICIPALITY }, call),
  evidence: (client, call) =>
    client.searchEvidence(
      { plate: 'A', at: new Date().toISOString(), municipality_code: NO_MUNICIPALITY },
      call,
    ),
};

async function accessToken({ connection, call }: Office, client: Client): Promise<SecretFinding> {
  const token = connection.accessToken;
  if (token === undefined) return { ...nothing, kind: 'access', state: 'not_set' };
  const credentialId = /^pev_at_([0-9a-f]{24})_/.exec(token)?.[1] ?? null;
  const scopes: Partial<Record<Scope, Right>> = {};
  let code: string | null = null;
  for (const [scope, probe] of Object.entries(PROBES)) {
    const result = await probe(client, call);
    const known = { ...nothing, kind: 'access', credential_id: credentialId } as const;
    if (!result.ok && result.code.startsWith('TOKEN_'))
      return { ...known, state: 'refused', code: result.code };
    if (!result.ok && result.code === 'IP_NOT_ALLOWED') code = result.code;
    // The record has the scopes as its keys.
    scopes[scope as Scope] = rightOf(result);
  }
  return {
    ...nothing,
    kind: 'access',
    state: code === null ? 'works' : 'refused',
    code,
    credential_id: credentialId,
    scopes,
  };
}

function rightOf(result: Result<unknown>): Right {
  if (result.ok) return 'allowed';
  if (result.code === 'SCOPE_NOT_ALLOWED' || result.code === 'IP_NOT_ALLOWED') return 'not_allowed';
  return result.failure === 'refused' ? 'allowed' : 'unknown';
}

async function adminToken({ connection, call }: Office, client: Client): Promise<SecretFinding> {
  if (connection.adminToken === undefined) return { ...nothing, kind: 'admin', state: 'not_set' };
  const result = await client.listCredentials({ limit: 1 }, call);
  if (result.ok) return { ...nothing, kind: 'admin', state: 'works' };
  const state = result.failure === 'unavailable' || result.failure === 'limited' ? 'unknown' : 'refused';
  return { ...nothing, kind: 'admin', state, code: result.code };
}

/** The administrator knows what an access token's credential may do. */
async function withRights(
  client: Client,
  office: Office,
  secrets: SecretFinding[],
): Promise<SecretFinding[]> {
  const [access, admin] = secrets;
  if (access?.credential_id === undefined || access.credential_id === null || admin?.state !== 'works')
    return secrets;
  let after: string | undefined;
  for (;;) {
    const page = await client.listCredentials(
      { limit: 200, ...(after !== undefined && { after }) },
      office.call,
    );
    if (!page.ok) return secrets;
    const found = page.answer.credentials.find(({ credential_id }) => credential_id === access.credential_id);
    if (found !== undefined) return [{ ...access, credential: found }, admin];
    if (page.answer.next_after === null) return secrets;
    after = page.answer.next_after;
  }
}
