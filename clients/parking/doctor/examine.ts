import type { Client, Failure } from '../../client/index.ts';
import type { Office } from '../office.ts';
import { VERSION } from '../version.ts';
import { SCOPES } from '../wire-names.ts';
import { aheadOf, watchedClock } from './clock.ts';
import type { Findings, Right, SecretFinding } from './findings.ts';

/** The version is useful, but not worth a long wait. */
const VERSION_BUDGET_MS = 2_000;

/**
 * Asks the service everything that calls depend on. A failure is a finding, and does not end the examination.
 */
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
    secrets,
  };
}

/**
 * If answers have no `Date`, as on a developer's machine, a plate check's `checked_at` gives the service's
 * time.
 */
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

async function accessToken({ connection, call }: Office, client: Client): Promise<SecretFinding> {
  const token = connection.accessToken;
  if (token === undefined) return { ...nothing, kind: 'access', state: 'not_set' };
  const own = await client.getOwnCredential({}, call);
  const credentialId = /^pev_at_([0-9a-f]{24})_/.exec(token)?.[1] ?? null;
  if (!own.ok) return { ...failed(own), kind: 'access', credential_id: credentialId };
  const { credential } = own.answer;
  const right = (scope: string): Right =>
    credential.scopes.some((one) => one === scope) ? 'allowed' : 'not_allowed';
  return {
    ...{ kind: 'access', state: 'works', code: null, credential_id: credential.credential_id, credential },
    scopes: Object.fromEntries(SCOPES.map((scope) => [scope, right(scope)])),
  };
}

async function adminToken({ connection, call }: Office, client: Client): Promise<SecretFinding> {
  if (connection.adminToken === undefined) return { ...nothing, kind: 'admin', state: 'not_set' };
  const result = await client.listCredentials({ limit: 1 }, call);
  return { ...(result.ok ? { ...nothing, state: 'works' } : failed(result)), kind: 'admin' };
}

/** A service that is busy or away has not judged the secret. */
function failed({ failure, code }: Failure): Omit<SecretFinding, 'kind'> {
  const state = failure === 'unavailable' || failure === 'limited' ? 'unknown' : 'refused';
  return { ...nothing, state, code };
}
