import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, createClient, type Input } from '../../../clients/client/index.ts';
import { CITIES } from './areas.ts';
import { answerOf } from './client.ts';
import { LARGE_FACILITY, TENANT } from './configuration.ts';
import { TORINO, TRENTO } from './plates.ts';

/** The demonstration's credentials. */
export const DEMO_CREDENTIALS = {
  barrier: {
    name: 'Barrier, Bolzano in Torino',
    scopes: ['plate_check', 'entitlement_list'],
    municipalities: [TORINO],
    areas: [LARGE_FACILITY],
  },
  meter: {
    name: 'Parking meter, Torino',
    scopes: ['subscription_options', 'subscription_payments'],
    municipalities: [TORINO],
  },
  widget: { name: 'Widget, Torino and Trento', scopes: ['report'], municipalities: [TORINO, TRENTO] },
  office: {
    name: 'Parking office, Torino',
    scopes: [
      ...(['plate_check', 'subscription_options', 'report', 'import', 'evidence'] as const),
      ...(['subscription_payments', 'patrol', 'entitlement_list', 'office'] as const),
    ],
    municipalities: [TORINO],
  },
  clerk: { name: 'Clerk, Torino', scopes: ['evidence'], municipalities: [TORINO] },
  patrol: { name: 'Patrol, Trento', scopes: ['patrol', 'plate_check'], municipalities: [TRENTO] },
  importer: { name: 'Importer, all cities', scopes: ['import'], municipalities: [...CITIES] },
} satisfies Record<string, Input<'issueCredential'>>;
export type Holder = keyof typeof DEMO_CREDENTIALS;

const HOLDERS = Object.keys(DEMO_CREDENTIALS) as readonly Holder[];

/** The access token of each of the demonstration's credentials. */
export type Tokens = Readonly<Record<Holder, string>>;

const OWNER_ONLY = 0o600;

/** The file with the tokens. */
export const tokensFile = (stateDir: string): string => join(stateDir, 'demonstration-credentials.json');

/** Obtains the demonstration's tokens: those of an earlier start that still work, else new ones. */
export async function obtainTokens(
  baseUrl: string,
  administrator: Client,
  stateDir: string,
): Promise<Tokens> {
  const kept = keptTokens(stateDir);
  const obtain = async (holder: Holder): Promise<string> => {
    const token = kept[holder];
    if (token && (await createClient({ baseUrl, token }).getOwnCredential()).ok) return token;
    const credential = { tenant: TENANT, ...DEMO_CREDENTIALS[holder] };
    return (await answerOf(administrator.issueCredential(credential))).access_token;
  };
  const tokens: Partial<Record<Holder, string>> = {};
  for (const holder of HOLDERS) tokens[holder] = await obtain(holder);
  writeFileSync(tokensFile(stateDir), `${JSON.stringify(tokens, null, 2)}\n`, { mode: OWNER_ONLY });
  // One of each holder.
  return tokens as Tokens;
}

/** The tokens of an earlier start. A missing or unreadable file counts as empty: new tokens are cheap. */
export function keptTokens(stateDir: string): Partial<Tokens> {
  try {
    return JSON.parse(readFileSync(tokensFile(stateDir), 'utf8'));
  } catch {
    return {};
  }
}
