import {
  profilesPath,
  readProfiles,
  withProfile,
  writeProfiles,
} from '../../../clients/parking/profiles/profile-file.ts';
import { SHOWCASE_CITY } from './showcase.ts';

/** The profile of the command `parking` that leads to the demonstration. */
export const DEMO_PROFILE = 'demo';

/**
 * Lets the command `parking` know the demonstration. It becomes the profile that is used where none is named, unless
 * there is another already.
 *
 * @returns how the command is started with it; null where the user's folder cannot be written
 */
export function keepDemoProfile(
  environment: NodeJS.ProcessEnv,
  address: string,
  tokens: { readonly office: string; readonly admin: string },
): string | null {
  try {
    const path = profilesPath(environment);
    const book = withProfile(readProfiles(path), DEMO_PROFILE, {
      url: address,
      access_token: tokens.office,
      admin_token: tokens.admin,
      municipality: SHOWCASE_CITY,
    });
    writeProfiles(path, book);
    return book.current === DEMO_PROFILE ? 'npx parking' : `npx parking --profile ${DEMO_PROFILE}`;
  } catch {
    return null;
  }
}
