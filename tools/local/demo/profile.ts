import { join } from 'node:path';
import { writeProfiles } from '../../../clients/parking/profiles.ts';
import { SHOWCASE_CITY } from './showcase.ts';

/**
 * Keeps a profile of the command `parking` for the demonstration, in the folder of its data: the user's own profiles stay
 * as they are.
 *
 * @param office the token of its office; the administrator's work needs a login with the administrator's token
 * @returns the file, for `PARKING_PROFILES`
 */
export function keepDemoProfile(stateDir: string, address: string, office: string): string {
  const file = join(stateDir, 'profiles.json');
  const demo = { url: address, access_token: office, municipality: SHOWCASE_CITY };
  writeProfiles(file, { current: 'demo', profiles: { demo } });
  return file;
}
