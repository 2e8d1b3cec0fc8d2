import type { Failure } from '../../client/index.ts';
import type { Office } from '../office.ts';
import { kindOfToken } from './profile.ts';

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
    ? await client.getOwnCredential({}, office.call)
    : await client.listCredentials({ limit: 1 }, office.call);
  // Whose budget is spent has been recognised.
  return result.ok || (isAccess && result.failure === 'limited') ? null : result;
}
