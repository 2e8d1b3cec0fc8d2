import type { Answer, Failure } from '../../client/index.ts';
import type { Office } from '../office.ts';
import { kindOfToken } from './profile.ts';

/** A token's rights. Null: unknown, since its budget is spent. */
export type Rights = Answer<'getOwnCredential'>['credential'] | 'everything' | null;

/** Asks a service whether it knows a token, and for its rights. */
export async function tryToken(
  office: Office,
  url: string,
  token: string,
): Promise<{ readonly refused: Failure } | { readonly rights: Rights }> {
  const isAccess = kindOfToken(token) === 'access';
  const client = office.clientOf({
    url,
    accessToken: isAccess ? token : undefined,
    adminToken: isAccess ? undefined : token,
    municipality: undefined,
  });
  if (!isAccess) {
    const listed = await client.listCredentials({ limit: 1 }, office.call);
    return listed.ok ? { rights: 'everything' } : { refused: listed };
  }
  const own = await client.getOwnCredential({}, office.call);
  if (own.ok) return { rights: own.answer.credential };
  // A spent budget means that the token was recognised.
  return own.failure === 'limited' ? { rights: null } : { refused: own };
}
