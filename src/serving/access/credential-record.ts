import { constantTimeEqual } from '../../base/crypto/digest.ts';
import type { RatePolicy } from '../../domain/budget.ts';
import { type Instant, instant } from '../../domain/instant.ts';
import type { ObjectLocation } from '../../storage/db/schema/index.ts';
import { admitsAddress } from './ip-allowlist.ts';
import { type AskedScope, allows, type BudgetName, type Scope } from './scopes.ts';
import type { RecognisedToken } from './token.ts';

/** The hashes of an access token and an API key. */
export interface HashedPair {
  readonly accessTokenHash: string;
  readonly apiKeyHash: string;
}

/** A credential, as its object holds it. */
export interface Credential {
  readonly credentialId: string;
  /** Rises with every change. */
  readonly version: number;
  readonly tenantCode: string;
  readonly name: string;
  readonly createdAt: Instant;
  /** The location hint of its object. Null: near its first caller. */
  readonly location: ObjectLocation | null;
  /** Codes. */
  readonly municipalities: readonly string[];
  readonly scopes: readonly Scope[];
  /** Null: unlimited. */
  readonly historicalDaysAllowed: number | null;
  /** The source that its imports are bound to, if any. */
  readonly sourceCode: string | null;
  /** Codes of the only areas of its one municipality that it may ask about. Null: all. */
  readonly areas: readonly string[] | null;
  /** Null: any address. */
  readonly ipAllowlist: readonly string[] | null;
  readonly expiresAt: Instant | null;
  readonly revokedAt: Instant | null;
  readonly rate: RatePolicy;
  readonly current: HashedPair;
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
  readonly budget: BudgetName;
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
  credential: Credential,
  { token, scope, importsBeyondSource, address }: Omit<AdmissionCall, 'budget'>,
  now: Instant,
): AdmissionRefusal | null {
  const passesUntil = matches(credential.current, token)
    ? Number.POSITIVE_INFINITY
    : credential.previous.find((pair) => matches(pair, token))?.passesUntil;
  if (passesUntil === undefined) return 'TOKEN_INVALID';
  if (credential.revokedAt !== null || passesUntil <= now) return 'TOKEN_REVOKED';
  if (credential.expiresAt !== null && credential.expiresAt <= now) return 'TOKEN_EXPIRED';
  if (!admitsAddress(credential.ipAllowlist, address)) return 'IP_NOT_ALLOWED';
  const isInScope = scope === null || allows(credential.scopes, scope);
  const isBoundElsewhere = importsBeyondSource && credential.sourceCode !== null;
  return isInScope && !isBoundElsewhere ? null : 'SCOPE_NOT_ALLOWED';
}

function matches(pair: HashedPair, token: RecognisedToken): boolean {
  const stored = token.kind === 'access_token' ? pair.accessTokenHash : pair.apiKeyHash;
  return constantTimeEqual(stored, token.hash);
}

/** Past on every clock: the object's may differ by seconds from that of the administrator's call. */
const LONG_PAST = instant(0);

/**
 * A pair takes 200 bytes: a credential with ten thousand could not be stored, and so not be revoked. Rotating more often than this
 * within an overlap ends the oldest pairs early.
 */
const MAX_PREVIOUS = 100;

/**
 * The credential after a rotation: the pair that was current is accepted for `overlapSeconds` more, and no older pair for
 * longer than that. Of the pairs that are no longer accepted only the newest is kept, so that it is recognised as
 * revoked.
 */
export function rotate(
  credential: Credential,
  next: HashedPair,
  overlapSeconds: number,
  now: Instant,
): Credential {
  const passesUntil = overlapSeconds === 0 ? LONG_PAST : instant(now + overlapSeconds * 1000);
  const older = credential.previous
    .map((pair) => ({ ...pair, passesUntil: instant(Math.min(pair.passesUntil, passesUntil)) }))
    .filter((pair) => pair.passesUntil > now);
  return {
    ...credential,
    current: next,
    previous: [{ ...credential.current, passesUntil }, ...older].slice(0, MAX_PREVIOUS),
  };
}
