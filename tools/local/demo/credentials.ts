import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { ServiceClient } from '../service-client.ts';
import { TENANT } from './configuration.ts';
import { PATROL_CITY } from './patrol-street.ts';
import { LARGE_FACILITY, SHOWCASE_CITY } from './showcase.ts';

const TRENTO = PATROL_CITY;
const ALL_CITIES = ['A944', SHOWCASE_CITY, TRENTO];

/** The properties of the demonstration's credentials that are not the defaults. */
export const DEMO_CREDENTIALS = {
  barrier: {
    ...{ name: 'Barrier, Bolzano in Torino', scopes: ['plate_check', 'entitlement_list'] },
    ...{ municipalities: [SHOWCASE_CITY], areas: [LARGE_FACILITY] },
  },
  meter: {
    ...{ name: 'Parking meter, Torino', scopes: ['subscription_options', 'subscription_payments'] },
    municipalities: [SHOWCASE_CITY],
  },
  widget: { name: 'Widget, Torino and Trento', scopes: ['report'], municipalities: [SHOWCASE_CITY, TRENTO] },
  office: {
    name: 'Parking office, Torino',
    scopes: [
      ...(['plate_check', 'subscription_options', 'report', 'import', 'evidence'] as const),
      ...(['subscription_payments', 'patrol', 'entitlement_list', 'office'] as const),
    ],
    municipalities: [SHOWCASE_CITY],
  },
  clerk: { name: 'Clerk, Torino', scopes: ['evidence'], municipalities: [SHOWCASE_CITY] },
  patrol: { name: 'Patrol, Trento', scopes: ['patrol', 'plate_check'], municipalities: [PATROL_CITY] },
  importer: {
    ...{ name: 'Importer, all cities', scopes: ['import'], municipalities: ALL_CITIES },
    rate_limit: { limit: 1_200, window_seconds: 60 },
  },
} as const;
export type Holder = keyof typeof DEMO_CREDENTIALS;

const HOLDERS = Object.keys(DEMO_CREDENTIALS) as readonly Holder[];

const issuedToken = z.object({ credential_id: z.string(), access_token: z.string() });
type IssuedToken = z.infer<typeof issuedToken>;
const keptTokens = z.record(z.string(), issuedToken);

const ownCredential = z.object({ credential: z.object({ scopes: z.array(z.string()) }) });

/** The access token of each of the demonstration's credentials. */
export type Tokens = Readonly<Record<Holder, string>>;

const OWNER_ONLY = 0o600;
/** The path of the file with the tokens. */
export function tokensFile(stateDir: string): string {
  return join(stateDir, 'demonstration-credentials.json');
}

/** Obtains the demonstration's tokens: those of an earlier start that still work, else new ones. */
export async function obtainTokens(
  address: string,
  administrator: ServiceClient,
  stateDir: string,
): Promise<Tokens> {
  const file = tokensFile(stateDir);
  const kept = readKept(file);
  const issued: [Holder, IssuedToken][] = [];
  for (const holder of HOLDERS) {
    const known = kept[holder];
    const isGood = known !== undefined && (await works(address, known, holder));
    issued.push([holder, isGood ? known : await issue(administrator, holder)]);
  }
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(issued), null, 2)}\n`, { mode: OWNER_ONLY });
  // One of each holder.
  return Object.fromEntries(issued.map(([holder, { access_token }]) => [holder, access_token])) as Tokens;
}

/** A holder's token of an earlier start; null if there is none. */
export function keptToken(stateDir: string, holder: Holder): string | null {
  return readKept(tokensFile(stateDir))[holder]?.access_token ?? null;
}

/** Reads the kept tokens. A missing or unreadable file counts as empty: new tokens are cheap. */
function readKept(file: string): z.infer<typeof keptTokens> {
  try {
    return keptTokens.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return {};
  }
}

/** Whether a token is accepted and has all present scopes: an earlier version may have issued it with fewer. */
async function works(address: string, { access_token }: IssuedToken, holder: Holder): Promise<boolean> {
  const { status, body } = await new ServiceClient(address, access_token).send('GET', '/api/v2/credential');
  const own = ownCredential.safeParse(body);
  const scopes: readonly string[] = DEMO_CREDENTIALS[holder].scopes;
  return (
    status !== 401 && (!own.success || scopes.every((scope) => own.data.credential.scopes.includes(scope)))
  );
}

async function issue(administrator: ServiceClient, holder: Holder): Promise<IssuedToken> {
  const body = { tenant: TENANT, ...DEMO_CREDENTIALS[holder] };
  return issuedToken.parse(await administrator.succeed('POST', '/api/v2/admin/credentials', body));
}
