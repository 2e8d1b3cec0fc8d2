import { describe, expect, it } from 'vitest';
import { type Instant, instant } from '../../src/domain/instant.ts';
import {
  type AdmissionCall,
  type Credential,
  type HashedPair,
  refusalOf,
  rotate,
} from '../../src/serving/access/credential-record.ts';
import type { AskedScope, Scope } from '../../src/serving/access/scopes.ts';
import type { TokenKind } from '../../src/serving/access/token.ts';

const NOW = instant(1_000_000_000_000);
const later = (milliseconds: number): Instant => instant(NOW + milliseconds);

/** Texts as long as each other stand for hashes. */
const pair = (name: string): HashedPair => ({ accessTokenHash: `${name}-token`, apiKeyHash: `${name}-key` });
const passing = (name: string, passesUntil: Instant) => ({ ...pair(name), passesUntil });

/** A credential that may check plates from anywhere, for ever. */
const HELD: Credential = {
  credentialId: 'c1',
  version: 7,
  tenantCode: 'acme',
  name: 'gate',
  createdAt: instant(0),
  location: null,
  municipalities: ['H501'],
  scopes: ['plate_check'],
  historicalDaysAllowed: 1,
  sourceCode: null,
  areas: null,
  ipAllowlist: null,
  expiresAt: null,
  revokedAt: null,
  rate: { limit: 120, windowSeconds: 60 },
  current: pair('new'),
  previous: [],
};

const heldWith = (changed: Partial<Credential>): Credential => ({ ...HELD, ...changed });

function callWith(hash: string, changed: Partial<AdmissionCall> = {}): AdmissionCall {
  const kind: TokenKind = hash.endsWith('key') ? 'api_key' : 'access_token';
  return {
    token: { kind, credentialId: 'c1', hash },
    scope: 'plate_check',
    importsBeyondSource: false,
    address: '192.0.2.1',
    budget: 'calls',
    ...changed,
  };
}

const CALL = callWith('new-token');

describe('A call is refused by the first thing that is wrong', () => {
  it.each([['new-token'], ['new-key']])('nothing is wrong with the current pair: %s', (hash) => {
    expect(refusalOf(HELD, callWith(hash), NOW)).toBeNull();
  });

  it('nothing is wrong where the operation needs no scope', () => {
    expect(refusalOf(HELD, callWith('new-token', { scope: null }), NOW)).toBeNull();
  });

  it('a secret that is not the credential’s is TOKEN_INVALID', () => {
    expect(refusalOf(HELD, callWith('odd-token'), NOW)).toBe('TOKEN_INVALID');
  });

  it('an access token’s hash that comes as a key’s is TOKEN_INVALID, and the other way round', () => {
    const asKey: AdmissionCall = { ...CALL, token: { ...CALL.token, kind: 'api_key' } };
    const asToken: AdmissionCall = { ...CALL, token: { ...callWith('new-key').token, kind: 'access_token' } };
    expect(refusalOf(HELD, asKey, NOW)).toBe('TOKEN_INVALID');
    expect(refusalOf(HELD, asToken, NOW)).toBe('TOKEN_INVALID');
  });

  it('a revoked credential is TOKEN_REVOKED, whatever the instant says', () => {
    expect(refusalOf(heldWith({ revokedAt: NOW }), CALL, NOW)).toBe('TOKEN_REVOKED');
    // Clocks differ: a call that reads an earlier one is revoked all the same.
    expect(refusalOf(heldWith({ revokedAt: later(1) }), CALL, NOW)).toBe('TOKEN_REVOKED');
  });

  it.each([
    ['a millisecond before', 1, null],
    ['at', 0, 'TOKEN_EXPIRED'],
    ['a millisecond after', -1, 'TOKEN_EXPIRED'],
  ])('%s its end', (_, left, expected) => {
    expect(refusalOf(heldWith({ expiresAt: later(left) }), CALL, NOW)).toBe(expected);
  });

  it('a call without an address is IP_NOT_ALLOWED where there is a list', () => {
    const record = heldWith({ ipAllowlist: ['198.51.100.0/24'] });
    expect(refusalOf(record, callWith('new-token', { address: null }), NOW)).toBe('IP_NOT_ALLOWED');
    expect(refusalOf(record, callWith('new-token', { address: '198.51.100.9' }), NOW)).toBeNull();
  });
});

describe('An office', () => {
  it.each<[Scope, AskedScope, string | null]>([
    ['office', 'plate_check', null],
    ['office', 'evidence', null],
    ['office', 'import', null],
    ['office', 'office_read', null],
    ['office', 'report', 'SCOPE_NOT_ALLOWED'],
    ['office_read', 'plate_check', null],
    ['office_read', 'evidence', null],
    ['office_read', 'import', 'SCOPE_NOT_ALLOWED'],
    ['office_read', 'office', 'SCOPE_NOT_ALLOWED'],
    ['office', 'administrator', 'SCOPE_NOT_ALLOWED'],
  ])('with scope %s that asks for %s', (scope, asked, expected) => {
    expect(refusalOf(heldWith({ scopes: [scope] }), callWith('new-token', { scope: asked }), NOW)).toBe(
      expected,
    );
  });
});

describe('A credential bound to a source', () => {
  const bound = heldWith({ scopes: ['import'], sourceCode: 'app1' });
  const imports = (importsBeyondSource: boolean) =>
    callWith('new-token', { scope: 'import', importsBeyondSource });

  it('imports that source’s sessions and nothing else, and everything once it is bound no more', () => {
    expect(refusalOf(bound, imports(false), NOW)).toBeNull();
    expect(refusalOf(bound, imports(true), NOW)).toBe('SCOPE_NOT_ALLOWED');
    expect(refusalOf({ ...bound, sourceCode: null }, imports(true), NOW)).toBeNull();
  });
});

describe('Of two things that are wrong, the first decides', () => {
  const [revokedAt, expiresAt, ipAllowlist] = [NOW, NOW, ['198.51.100.1']];

  it.each<[string, string, Partial<Credential>, AdmissionCall]>([
    ['TOKEN_INVALID', 'TOKEN_REVOKED', { revokedAt }, callWith('odd-token')],
    ['TOKEN_REVOKED', 'TOKEN_EXPIRED', { revokedAt, expiresAt }, CALL],
    ['TOKEN_EXPIRED', 'IP_NOT_ALLOWED', { expiresAt, ipAllowlist }, CALL],
    ['IP_NOT_ALLOWED', 'SCOPE_NOT_ALLOWED', { ipAllowlist, scopes: ['report'] }, CALL],
  ])('%s before %s', (expected, _, both, call) => {
    expect(refusalOf(heldWith(both), call, NOW)).toBe(expected);
  });
});

describe('A pair that was rotated away', () => {
  it.each([
    ['passes a millisecond before its overlap ends', 1, null],
    ['is TOKEN_REVOKED when its overlap ends', 0, 'TOKEN_REVOKED'],
    ['is TOKEN_REVOKED after that', -1, 'TOKEN_REVOKED'],
  ])('%s', (_, left, expected) => {
    const record = heldWith({ previous: [passing('old', later(left))] });
    expect(refusalOf(record, callWith('old-token'), NOW)).toBe(expected);
    expect(refusalOf(record, callWith('old-key'), NOW)).toBe(expected);
    expect(refusalOf(record, CALL, NOW)).toBeNull();
  });

  it('that passes no more is revoked rather than expired', () => {
    const record = heldWith({ previous: [passing('old', NOW)], expiresAt: NOW });
    expect(refusalOf(record, callWith('old-token'), NOW)).toBe('TOKEN_REVOKED');
  });

  it('is judged by the rest of the credential while it passes', () => {
    const record = heldWith({ previous: [passing('old', later(1))], expiresAt: NOW });
    expect(refusalOf(record, callWith('old-token'), NOW)).toBe('TOKEN_EXPIRED');
  });
});

describe('A rotation', () => {
  it('puts the new pair in the place of the current one, which it keeps as long as the overlap', () => {
    expect(rotate(HELD, pair('3rd'), 60, NOW)).toEqual({
      ...HELD,
      current: pair('3rd'),
      previous: [passing('new', later(60_000))],
    });
  });

  it('without overlap keeps it as one that is past on every clock, also on one that is slow', () => {
    const next = rotate(HELD, pair('3rd'), 0, NOW);
    expect(refusalOf(next, CALL, later(-3_600_000))).toBe('TOKEN_REVOKED');
  });

  it('within the overlap of an earlier one lets all three pairs pass, each for its own time', () => {
    const record = heldWith({ previous: [passing('old', later(10_000))] });
    const next = rotate(record, pair('3rd'), 60, NOW);
    expect(next.previous).toEqual([passing('new', later(60_000)), passing('old', later(10_000))]);
  });

  it('with a shorter overlap than an earlier one’s cuts that short too, and with none ends it', () => {
    const record = heldWith({ previous: [passing('old', later(60_000))] });
    const next = rotate(record, pair('3rd'), 10, NOW);
    expect(next.previous).toEqual([passing('new', later(10_000)), passing('old', later(10_000))]);
    expect(rotate(record, pair('3rd'), 0, NOW).previous).toEqual([passing('new', instant(0))]);
  });

  it('forgets pairs that pass no more, but for the newest', () => {
    const record = heldWith({ previous: [passing('old', NOW), passing('1st', later(-1))] });
    expect(rotate(record, pair('3rd'), 60, NOW).previous).toEqual([passing('new', later(60_000))]);
  });

  it('keeps a hundred pairs, so that a record can be stored and revoked however often it was made', () => {
    let record = HELD;
    for (let rotations = 1; rotations <= 300; rotations += 1) {
      record = rotate(record, pair(`${rotations}th`), 604_800, NOW);
    }
    expect(record.previous).toHaveLength(100);
    expect(record.previous[0]).toMatchObject(pair('299th'));
    expect(refusalOf(record, callWith('200th-token'), NOW)).toBeNull();
    expect(refusalOf(record, callWith('199th-token'), NOW)).toBe('TOKEN_INVALID');
  });
});
