import {
  profilesPath,
  readProfiles,
  withProfile,
  writeProfiles,
} from '../../../clients/parking/profiles/profile-file.ts';
import { SHOWCASE_CITY } from './showcase.ts';

/** The profile of the command `parking` for the demonstration, unless it is already another port's. */
const DEMO_PROFILE = 'demo';

/**
 * Adds a profile for the demonstration to the command `parking`. If `demo` is the profile of another port, that one stays, and
 * this one gets the port in its name. It becomes the default profile unless there is one.
 *
 * @param office the token of its office; the administrator's work needs a login with the administrator's token
 * @returns how to start the command with the profile; null if the user's folder cannot be written
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
