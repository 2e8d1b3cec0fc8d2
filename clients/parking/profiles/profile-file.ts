import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { wrongUsage } from '../stop.ts';
import { EMPTY_BOOK, type Profile, type ProfileBook, profileBook } from './profile.ts';

const OWNER_ONLY = 0o600;
const OWNERS_FOLDER = 0o700;
const OTHERS = 0o077;

/** Where the profiles are kept: in the user's folder for configurations. */
export function profilesPath(environment: NodeJS.ProcessEnv): string {
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
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
    if (process.platform !== 'win32' && (statSync(path).mode & OTHERS) !== 0) chmodSync(path, OWNER_ONLY);
  } catch (error) {
    if (isMissing(error)) return EMPTY_BOOK;
    throw unreadable(path);
  }
  try {
    return profileBook.parse(JSON.parse(text));
  } catch {
    throw unreadable(path);
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

/** The book with a profile put in, which becomes the current one if there is none. */
export function withProfile(book: ProfileBook, name: string, profile: Profile): ProfileBook {
  return { current: book.current ?? name, profiles: { ...book.profiles, [name]: profile } };
}

/** The book without a profile. */
export function withoutProfile(book: ProfileBook, name: string): ProfileBook {
  const { [name]: _, ...profiles } = book.profiles;
  return { current: book.current === name ? null : book.current, profiles };
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

const unreadable = (path: string) =>
  wrongUsage(
    {
      en: `The profiles in ${path} cannot be read.`,
      it: `I profili in ${path} non sono leggibili.`,
    },
    {
      advice: {
        en: 'Correct the file, or remove it and run `parking login` again.',
        it: 'Correggere il file, oppure eliminarlo ed eseguire di nuovo `parking login`.',
      },
    },
  );
