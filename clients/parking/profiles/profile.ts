import * as z from 'zod';

/** A service's address and secrets. */
export const profile = z.strictObject({
  /** Such as `https://parking.example`. */
  url: z.url({ protocol: /^https?$/ }),
  /** An access token (`pev_at_…`): for checks, options, reports, imports and evidence; an office's also for its administration. */
  access_token: z.string().optional(),
  /** The administrator's: for the configuration, credentials, calls, plates and backups. */
  admin_token: z.string().optional(),
  /** Of commands that name none. */
  municipality: z.string().optional(),
});
export type Profile = z.infer<typeof profile>;

/** A name that is easy to type, and safe on every command line. */
export const PROFILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/;

export const profileBook = z.strictObject({
  /** The profile of commands that name none. */
  current: z.string().nullable(),
  profiles: z.record(z.string(), profile),
});
export type ProfileBook = z.infer<typeof profileBook>;

export const EMPTY_BOOK: ProfileBook = { current: null, profiles: {} };

const ACCESS_TOKEN = /^pev_at_/;
const API_KEY = /^pev_ak_/;

export type TokenKind = 'access' | 'admin' | 'api_key';

/** What a secret is for. An administrator's token has no form of its own. */
export function kindOfToken(token: string): TokenKind {
  if (ACCESS_TOKEN.test(token)) return 'access';
  return API_KEY.test(token) ? 'api_key' : 'admin';
}
