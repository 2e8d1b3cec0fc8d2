import type { Answer, Failure } from '../../client/index.ts';
import type { Office } from '../office.ts';
import { kindOfToken } from './profile.ts';

/** What a token may do. Null: its budget is spent, so that it is not known. */
export type Rights = Answer<'getOwnCredential'>['credential'] | 'everything' | null;

/** Asks a service whether it knows a token, and what that may do. */
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
    profileName: null,
    fromEnvironment: [],
  });
  if (!isAccess) {
    const listed = await client.listCredentials({ limit: 1 }, office.call);
    return listed.ok ? { rights: 'everything' } : { refused: listed };
  }
  const own = await client.getOwnCredential({}, office.call);
  if (own.ok) return { rights: own.answer.credential };
  // Whose budget is spent has been recognised.
  return own.failure === 'limited' ? { rights: null } : { refused: own };
}
