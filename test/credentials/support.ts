import { env } from 'cloudflare:workers';
import { expect } from 'vitest';
import { APP_SOURCE, CITY, ROME, TENANT } from '../support/seed.ts';
import { ADMIN, type Answer, bearer, Service } from '../support/service.ts';

export const CREDENTIALS = '/api/v2/admin/credentials';

/** Two cities of one tenant, and one of another; a source in the first city, and one in the other tenant's. */
export const CITIES = {
  ...CITY,
  tenants: [TENANT, { ...TENANT, id: 2, code: 'beta', name: 'Beta Parking' }],
  municipalities: [
    ROME,
    { ...ROME, id: 2, code: 'L219', name: 'Torino' },
    { ...ROME, id: 3, tenantId: 2, code: 'F205', name: 'Milano' },
  ],
  sources: [APP_SOURCE, { ...APP_SOURCE, id: 2, municipalityId: 3, code: 'app2' }],
};

/** A credential with nothing but what it must have. */
export const REQUEST = {
  tenant: 'acme',
  name: 'Gate 1',
  scopes: ['plate_check'],
  municipalities: ['H501'],
};

export interface Issued {
  readonly credentialId: string;
  readonly accessToken: string;
  readonly apiKey: string;
  readonly body: Record<string, unknown>;
}

/** Issues a credential, or puts a new pair in the old one's place: the answer to either. */
export function pairOf({ body }: Answer): Issued {
  return {
    credentialId: String(body.credential_id),
    accessToken: String(body.access_token),
    apiKey: String(body.api_key),
    body,
  };
}

export async function issue(service: Service, changed: Record<string, unknown> = {}): Promise<Issued> {
  return pairOf(await service.post(CREDENTIALS, { ...REQUEST, ...changed }, ADMIN));
}

export const list = (service: Service, query = ''): Promise<Answer> =>
  service.call(`${CREDENTIALS}${query}`, { headers: ADMIN });

/** How the list shows a credential. */
export const shown = async (service: Service, id: string): Promise<Record<string, unknown> | undefined> =>
  ((await list(service, '?limit=200')).body.credentials as Record<string, unknown>[]).find(
    ({ credential_id }) => credential_id === id,
  );

/** Its row, as it is stored. */
export async function storedRow(id: string): Promise<Record<string, unknown>> {
  const row = await env.DB.prepare('select record from credentials where id = ?').bind(id).first('record');
  return JSON.parse(String(row));
}

export const change = (service: Service, id: string, body: unknown): Promise<Answer> =>
  service.call(`${CREDENTIALS}/${id}`, { method: 'PATCH', headers: ADMIN, body });

/** Without overlap, unless said otherwise. */
export const rotate = (
  service: Service,
  id: string,
  body: unknown = { overlap_seconds: 0 },
): Promise<Answer> => service.post(`${CREDENTIALS}/${id}/rotate`, body, ADMIN);

export const revoke = (service: Service, id: string, body?: unknown): Promise<Answer> =>
  service.post(`${CREDENTIALS}/${id}/revoke`, body, ADMIN);

async function outcomeWith(service: Service, headers: Record<string, string>): Promise<string> {
  const { status, body } = await service.post('/api/v1/parking/check-plate', { plate: 'AB123CD' }, headers);
  return status === 200 ? '200' : String((body.error as { code: string }).code);
}

/** What becomes of a plate check with an access token: 200, or the error's code. */
export const outcomeOf = (service: Service, accessToken: string) => outcomeWith(service, bearer(accessToken));

/** The same with an API key. */
export const outcomeOfKey = (service: Service, apiKey: string) =>
  outcomeWith(service, { 'X-Api-Key': apiKey });

/** The credentials of a list's answer, each by a field. */
export const listed = ({ body }: Answer, field = 'credential_id'): unknown[] =>
  (body.credentials as Record<string, unknown>[]).map((fields) => fields[field]);

/** The paths of a 422, in their order. */
export function wrongPaths({ status, body }: Answer): string[] {
  const { code, details } = body.error as {
    code: string;
    details: { issues: { path: string; message: string }[] };
  };
  return status === 422 && code === 'INVALID_REQUEST'
    ? details.issues.map(({ path }) => path)
    : [`${status} ${code}`];
}

/** Two isolates that have seen the credential admitted a moment ago. */
const isolates = [new Service(), new Service()];

/** What every isolate says to a token. */
export const everywhere = (accessToken: string): Promise<string[]> =>
  Promise.all(isolates.map((isolate) => outcomeOf(isolate, accessToken)));

/** A credential that every isolate has let pass. */
export async function known(changed: Record<string, unknown> = {}): Promise<Issued> {
  const issued = await issue(new Service(), { rate_limit: { limit: 1000, window_seconds: 60 }, ...changed });
  expect(await everywhere(issued.accessToken)).toEqual(['200', '200']);
  return issued;
}
