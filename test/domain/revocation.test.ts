import { describe, expect, it } from 'vitest';
import { onlyRevokes } from '../../src/domain/revocation.ts';
import { noon } from './fixtures.ts';

describe('A change of a subscription', () => {
  const was = { approval: 'approved' as const, authorizedUntil: noon(9), lastPeriodEndsAt: noon(5) };
  const before = { ...was, revokedAt: null, changedAt: noon(0) };
  it.each([
    ['that revokes gives nothing', {}, { revokedAt: noon(4) }, true],
    ['that does not revoke is none', {}, { authorizedUntil: noon(4) }, null],
    ['that revokes again is none', { revokedAt: noon(6) }, { revokedAt: noon(4) }, null],
    ['that revokes and extends gives something', {}, { revokedAt: noon(12), authorizedUntil: null }, false],
    ['that revokes before it extends does not', {}, { revokedAt: noon(5), authorizedUntil: null }, true],
    ['that revokes and pays gives something', {}, { revokedAt: noon(7), lastPeriodEndsAt: noon(6) }, false],
    ['that revokes and takes its periods does not', {}, { revokedAt: noon(4), lastPeriodEndsAt: null }, true],
    ['that revokes what was never paid and pays', { lastPeriodEndsAt: null }, { revokedAt: noon(4) }, false],
    [
      'that revokes and approves gives something',
      { approval: 'pending' as const },
      { revokedAt: noon(4) },
      false,
    ],
    ['that revokes and rejects does not', {}, { approval: 'rejected' as const, revokedAt: noon(4) }, true],
  ])('%s', (_, old, now, gives) => {
    const after = { ...before, ...now };
    const earlier = { ...before, ...old };
    expect(onlyRevokes(earlier, after)).toBe(gives);
  });
});
