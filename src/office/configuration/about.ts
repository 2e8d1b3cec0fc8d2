import { type About, targetOfCodes } from '../administration/trail.ts';
import type { Reading } from './reading.ts';
import type { ConfigurationState } from './state.ts';

/**
 * The tenants and municipalities that a document is about: those that it names, and the tenants of its municipalities.
 *
 * @param state their stored configuration, once it has been read
 */
export function aboutOf({ tenants, municipalities }: Reading, state?: ConfigurationState): About {
  const ofMunicipalities = municipalities.map(
    ({ code, given }) => given.tenant ?? state?.municipalities.get(code)?.tenant,
  );
  const named = [
    ...tenants.map(({ code }) => code),
    ...ofMunicipalities.filter((code) => code !== undefined),
  ];
  return { tenants: [...new Set(named)], municipalities: municipalities.map(({ code }) => code) };
}

/** The `target` of a document: its municipalities, or its tenants if it names no municipality. */
export function targetOf({ tenants, municipalities }: About): string | null {
  return targetOfCodes(municipalities.length > 0 ? municipalities : tenants);
}
