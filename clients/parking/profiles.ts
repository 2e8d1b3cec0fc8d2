import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { OWNER_ONLY } from './own-file.ts';
import { wrongUsage } from './stop.ts';

const OWNERS_FOLDER = 0o700;
const OTHERS = 0o077;

/** A service's address and secrets. */
const profile = z.strictObject({
  /** Such as `https://parking.example`. */
  url: z.url({ protocol: /^https?$/ }),
  /** A credential's (`pev_at_…`); an office's is also for its administration. */
  access_token: z.string().optional(),
  admin_token: z.string().optional(),
  /** Of commands that name none. */
  municipality: z.string().optional(),
});
export type Profile = z.infer<typeof profile>;

const profileBook = z.strictObject({
  /** The profile of commands that name none. */
  current: z.string().nullable(),
  profiles: z.record(z.string(), profile),
});
type ProfileBook = z.infer<typeof profileBook>;

/** Where the profiles are kept: where `PARKING_PROFILES` says, else in the user's folder for configurations. */
export function profilesPath(environment: NodeJS.ProcessEnv): string {
  if (environment.PARKING_PROFILES) return environment.PARKING_PROFILES;
  const folder =
    environment.XDG_CONFIG_HOME ||
    (process.platform === 'win32' && environment.APPDATA) ||
    join(environment.HOME || homedir(), '.config');
  return join(folder, 'parking', 'profiles.json');
}

/**
 * Reads the profiles. A file that others may read is closed to them.
 *
 * @throws Stop when there is a file that cannot be read: it is never taken for an empty one
 */
export function readProfiles(path: string): ProfileBook {
  try {
    const text = readFileSync(path, 'utf8');
    if (process.platform !== 'win32' && (statSync(path).mode & OTHERS) !== 0) chmodSync(path, OWNER_ONLY);
    return profileBook.parse(JSON.parse(text));
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (isMissing) return { current: null, profiles: {} };
    throw wrongUsage(
      `The profiles in ${path} cannot be read.`,
      'Correct the file, or remove it and run `parking login` again.',
    );
  }
}

/** Writes the profiles for their owner alone: whole or not at all. */
export function writeProfiles(path: string, book: ProfileBook): void {
  mkdirSync(dirname(path), { recursive: true, mode: OWNERS_FOLDER });
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, `${JSON.stringify(book, null, 2)}\n`, { mode: OWNER_ONLY, flag: 'wx' });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/**
 * Chooses a command's service and secrets: `PARKING_URL` and `PARKING_TOKEN` win, then the profile that was named, then the current one.
 *
 * A profile's secret goes to that profile's service and to no other: with a `PARKING_URL` that leads elsewhere, only
 * `PARKING_TOKEN` counts. With a `PARKING_TOKEN`, no secret of the profile is used with it.
 *
 * @throws Stop without a service, or without such a profile
 */
export function chooseConnection(
  { PARKING_URL: url, PARKING_TOKEN: token }: NodeJS.ProcessEnv,
  { current, profiles }: ProfileBook,
  named: string | undefined,
): Profile {
  const name = named ?? current;
  const own = name !== null && Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (named !== undefined && own === undefined) {
    const known = Object.keys(profiles).sort().join(', ') || '–';
    throw wrongUsage(`There is no profile ${named}. There are: ${known}`);
  }
  const address = url || own?.url;
  if (address === undefined) {
    throw wrongUsage('No service is known.', 'Run `parking login`, or set PARKING_URL and PARKING_TOKEN.');
  }
  const isProfiles = own !== undefined && plainAddress(address) === plainAddress(own.url);
  if (isProfiles && !token) return own;
  return {
    url: address,
    ...(token ? tokensOf(token) : {}),
    municipality: isProfiles ? own.municipality : undefined,
  };
}

/** A token as a profile has it. An API key is sent as an access token: the service's refusal tells the user why. */
export const tokensOf = (token: string): Pick<Profile, 'access_token' | 'admin_token'> =>
  token.startsWith('pev_') ? { access_token: token } : { admin_token: token };

/** An address without a slash at its end, so that two that are one compare equal. The client judges the rest. */
export const plainAddress = (text: string): string => text.trim().replace(/\/+$/, '');
