import type { Failure } from '../../client/index.ts';
import type { Office } from '../office.ts';
import { kindOfToken } from './profile.ts';

/** A municipality that cannot be: what names it is refused before anything is read, and by then the token was judged. */
export const NO_MUNICIPALITY = '-';

const ABOUT_THE_TOKEN = [
  'TOKEN_MISSING',
  'TOKEN_INVALID',
  'TOKEN_EXPIRED',
  'TOKEN_REVOKED',
  'IP_NOT_ALLOWED',
];

/**
 * Whether a service knows a token.
 *
 * @returns why it does not; null when it does
 */
export async function tryToken(office: Office, url: string, token: string): Promise<Failure | null> {
  const isAccess = kindOfToken(token) === 'access';
  const client = office.clientOf({
    url,
    accessToken: isAccess ? token : undefined,
    adminToken: isAccess ? undefined : token,
    municipality: undefined,
    profileName: null,
    fromEnvironment: [],
  });
  const result = isAccess
    ? await client.checkPlate({ plate: 'A', municipality_code: NO_MUNICIPALITY }, office.call)
    : await client.listCredentials({ limit: 1 }, office.call);
  if (result.ok) return null;
  // Whatever else it says, it has recognised who asks.
  const isRecognised = isAccess && result.failure !== 'unavailable' && !ABOUT_THE_TOKEN.includes(result.code);
  return isRecognised ? null : result;
}
