import { constantTimeEqual } from '../../base/crypto/digest.ts';
import { type Instant, instant } from '../../domain/instant.ts';
import type { RatePolicy } from '../../domain/rate-window.ts';
import { admitsAddress } from './ip-allowlist.ts';
import type { RecognisedToken } from './token.ts';

export const SCOPES = [
  'plate_check',
  'subscription_options',
  'subscription_payments',
  'report',
  'import',
  'evidence',
  'entitlement_list',
  'patrol',
  'office',
  'office_read',
] as const;
export type Scope = (typeof SCOPES)[number];

/** The scopes of an office: only the administrator gives them, or touches a credential that has one. */
const OFFICE_SCOPES: readonly Scope[] = ['office', 'office_read'];

/** The first of these scopes that only the administrator gives, if any. */
export const officeScopeIn = (scopes: readonly Scope[]): Scope | undefined =>
  scopes.find((scope) => OFFICE_SCOPES.includes(scope));

/** The scopes that a credential bound to areas may have: those of operations that are about one area at a time. */
export const AREA_SCOPES: readonly Scope[] = ['plate_check', 'entitlement_list', 'patrol'];

/** What an operation asks of a credential. No credential has `administrator`: its token is refused after all other checks. */
export type AskedScope = Scope | 'administrator';

/** The parts of a credential that are not secret. */
export interface Credential {
  readonly credentialId: string;
  /** Rises with every change. */
  readonly version: number;
  readonly tenantId: number;
  readonly tenantCode: string;
  /** Codes. */
  readonly municipalities: readonly string[];
  readonly scopes: readonly Scope[];
  /** Null: unlimited. */
  readonly historicalDaysAllowed: number | null;
  /** The source that its imports are bound to, if any. */
  readonly sourceCode: string | null;
  /** Codes of the only areas of its one municipality that it may ask about. Null: all. */
  readonly areas: readonly string[] | null;
}

export interface HashedPair {
  readonly accessTokenHash: string;
  readonly apiKeyHash: string;
}

/** The whole credential, as its object and its row in the database hold it. */
export interface CredentialRecord {
  readonly credential: Credential;
  readonly ipAllowlist: readonly string[] | null;
  readonly expiresAt: Instant | null;
  readonly revokedAt: Instant | null;
  readonly rate: RatePolicy;
  readonly current: HashedPair;
  /** The new pair of an unfinished rotation. It is accepted too, and not written to the database. */
  readonly added?: HashedPair;
  /** Replaced by a rotation, newest first. Each is accepted until its overlap ends. */
  readonly previous: readonly (HashedPair & { readonly passesUntil: Instant })[];
}

/** What a call presents to the credential's object. */
export interface AdmissionCall {
  readonly token: RecognisedToken;
  /** Null: none is needed. */
  readonly scope: AskedScope | null;
  /** Whether it imports more than one source's sessions, which a credential bound to a source may not. */
  readonly importsBeyondSource: boolean;
  /** `CF-Connecting-IP`. */
  readonly address: string | null;
  /** How much the call costs in all; absent: one. Only `Retry-After` depends on it. */
  readonly cost?: number;
  /** The code of the municipality that the call names, if any. */
  readonly municipality: string | null;
}

export type AdmissionRefusal =
  | 'TOKEN_INVALID'
  | 'TOKEN_REVOKED'
  | 'TOKEN_EXPIRED'
  | 'IP_NOT_ALLOWED'
  | 'SCOPE_NOT_ALLOWED';

/**
 * Checks a call against its credential, apart from the budget: null admits it. The order of the refusals is that of the
 * API: token, then address, then scope. Only a caller with a correct secret learns whether it has expired or was
 * revoked.
 */
export function refusalOf(
  record: CredentialRecord,
  call: AdmissionCall,
  now: Instant,
): AdmissionRefusal | null {
  const { token } = call;
  const isCurrent = matches(record.current, token) || (record.added && matches(record.added, token));
  const passesUntil = isCurrent
    ? Number.POSITIVE_INFINITY
    : record.previous.find((pair) => matches(pair, token))?.passesUntil;
  if (passesUntil === undefined) {
    return 'TOKEN_INVALID';
  }
  if (record.revokedAt !== null || passesUntil <= now) {
    return 'TOKEN_REVOKED';
  }
  if (record.expiresAt !== null && record.expiresAt <= now) {
    return 'TOKEN_EXPIRED';
  }
  if (!admitsAddress(record.ipAllowlist, call.address)) {
    return 'IP_NOT_ALLOWED';
  }
  return isInScope(record.credential, call) ? null : 'SCOPE_NOT_ALLOWED';
}

function isInScope({ scopes, sourceCode }: Credential, call: AdmissionCall): boolean {
  return (
    (call.scope === null || has(scopes, call.scope)) && !(call.importsBeyondSource && sourceCode !== null)
  );
}

/** A credential that may change something of a tenant may read it. */
const has = (scopes: readonly AskedScope[], asked: AskedScope): boolean =>
  scopes.includes(asked) || (asked === 'office_read' && scopes.includes('office'));

function matches(pair: HashedPair, token: RecognisedToken): boolean {
  const stored = token.kind === 'access_token' ? pair.accessTokenHash : pair.apiKeyHash;
  return constantTimeEqual(stored, token.hash);
}

/** Past on every clock: the object's may differ by seconds from that of the administrator's call. */
const LONG_PAST = instant(0);

/** The record during a rotation: the new pair is accepted, and so are all others. */
export const withAddedPair = (record: CredentialRecord, added: HashedPair): CredentialRecord => ({
  ...record,
  added,
});

/** A pair takes 200 bytes. A record with ten thousand could be stored no more, and so not be revoked. */
const MAX_PREVIOUS = 100;

/**
 * The record after a rotation: the pair that was current is accepted for `overlapSeconds` more, and no older pair for
 * longer than that, the newest hundred at most. Of the pairs that are no longer accepted only the newest is kept, so that it is recognised as
 * revoked.
 */
export function rotateToken(
  record: CredentialRecord,
  next: HashedPair,
  overlapSeconds: number,
  now: Instant,
): CredentialRecord {
  const passesUntil = overlapSeconds === 0 ? LONG_PAST : instant(now + overlapSeconds * 1000);
  const older = record.previous
    .map((pair) => ({ ...pair, passesUntil: instant(Math.min(pair.passesUntil, passesUntil)) }))
    .filter((pair) => pair.passesUntil > now);
  const { added: _, ...settled } = record;
  return {
    ...settled,
    current: next,
    previous: [{ ...record.current, passesUntil }, ...older].slice(0, MAX_PREVIOUS),
  };
}
