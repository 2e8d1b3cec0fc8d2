import type { Fault } from './fault.ts';

export const ACCESS: readonly Fault[] = [
  {
    breaks: 'A replaced token passes at the instant at which its overlap ends',
    file: 'src/access/credential-record.ts',
    find: 'passesUntil <= now',
    replacement: 'passesUntil < now',
    reach: ['test/access/credential-record.test.ts'],
  },
  {
    breaks: 'A credential passes at the instant at which it expires',
    file: 'src/access/credential-record.ts',
    find: 'record.expiresAt <= now',
    replacement: 'record.expiresAt < now',
    reach: ['test/access/credential-record.test.ts'],
  },
  {
    breaks: 'A credential that is bound to a source imports what is not of it',
    file: 'src/access/credential-record.ts',
    find: ' && !(call.importsBeyondSource && sourceCode !== null)',
    replacement: '',
    reach: ['test/imports/access.test.ts'],
  },
  {
    breaks: 'An API key is compared with the access token',
    file: 'src/access/credential-record.ts',
    find: ': pair.apiKeyHash;',
    replacement: ': pair.accessTokenHash;',
    reach: ['test/access/refusals.test.ts', 'test/access/credential-record.test.ts'],
  },
  {
    breaks: 'A client behind a mapped IPv6 address is not known by its IPv4 address',
    file: 'src/access/ip-allowlist.ts',
    find: 'address && (mappedAddress(address) ?? address)',
    replacement: 'address',
    reach: ['test/access/ip-allowlist.test.ts'],
  },
  {
    breaks: 'A budget lets one call more pass',
    file: 'src/domain/rate-window.ts',
    find: 'used >= policy.limit',
    replacement: 'used > policy.limit',
    reach: ['test/domain/rate-window.test.ts'],
  },
  {
    breaks: 'Calls that were reserved are forgotten with the memory',
    file: 'src/domain/budget.ts',
    find: 'count: reserved, assumed',
    replacement: 'count: 0, assumed',
    reach: ['test/domain/budget.test.ts'],
  },
  {
    breaks: 'A caller that was refused a moment ago costs database reads',
    file: 'src/access/admission.ts',
    find: 'waits ? granted.then(read) : read()',
    replacement: 'read()',
    reach: ['test/plate-check/cost.test.ts'],
  },
  {
    breaks: 'A late write of a credential replaces a newer row',
    file: 'src/access/credential-row-table.ts',
    find: 'setWhere: sql`${credentials.version} <= ${changeable.version}`',
    replacement: 'setWhere: sql`true`',
    reach: ['test/races/credential-rows.test.ts'],
  },
  {
    breaks: 'A gate has no budget while its credential cannot be asked',
    file: 'src/access/admission.ts',
    find: 'memory.keepFallbackBudget(credentialId, budget, now);',
    replacement: '',
    reach: ['test/plate-check/object-away.test.ts'],
  },
];
