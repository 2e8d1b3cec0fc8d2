import {
  profilesPath,
  readProfiles,
  withProfile,
  writeProfiles,
} from '../../../clients/parking/profiles/profile-file.ts';
import { SHOWCASE_CITY } from './showcase.ts';

/** The profile of the command `parking` that leads to the demonstration, unless it leads elsewhere already. */
const DEMO_PROFILE = 'demo';

/**
 * Lets the command `parking` know the demonstration. Where `demo` leads to another port, that port's demonstration stays
 * known, and this one's name has its port behind it. It becomes the profile that is used where none is named, unless
 * there is another already.
 *
 * @param office the token of its office: what stays the administrator's takes a login with that one's token
 * @returns how the command is started with it; null where the user's folder cannot be written
 */
export function keepDemoProfile(
  environment: NodeJS.ProcessEnv,
  address: string,
  office: string,
): string | null {
  try {
    const path = profilesPath(environment);
    const before = readProfiles(path);
    const { [DEMO_PROFILE]: demo } = before.profiles;
    const isTaken = demo !== undefined && demo.url !== address;
    const name = isTaken ? `${DEMO_PROFILE}-${new URL(address).port}` : DEMO_PROFILE;
    const book = withProfile(before, name, {
      url: address,
      access_token: office,
      municipality: SHOWCASE_CITY,
    });
    writeProfiles(path, book);
    return book.current === name ? 'npx parking' : `npx parking --profile ${name}`;
  } catch {
    return null;
  }
}
