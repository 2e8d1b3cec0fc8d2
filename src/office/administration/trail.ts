import type { CallDescription } from '../../storage/call-log/call-record.ts';

/** What an administrator's write is about, by code. */
interface About {
  readonly tenants: readonly string[];
  readonly municipalities: readonly string[];
}

/**
 * Notes for the call log the tenant and the municipality that a call of the administration is about, if it is about exactly one.
 * An office's call is its tenant's, whichever it names.
 */
export function noteAbout(log: CallDescription, { tenants, municipalities }: About): void {
  if (log.credentialId === null) log.tenant = onlyOne(tenants) ?? log.tenant;
  log.municipalityCode = onlyOne(municipalities) ?? log.municipalityCode;
}

function onlyOne(codes: readonly string[]): string | undefined {
  const [first, ...others] = new Set(codes);
  return others.length === 0 ? first : undefined;
}
