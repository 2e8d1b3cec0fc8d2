import { constantTimeEqual } from '../../base/crypto/digest.ts';
import type { RatePolicy } from '../../domain/budget.ts';
import { type Instant, instant } from '../../domain/instant.ts';
import type { ObjectLocation } from '../../storage/db/schema/index.ts';
import { admitsAddress } from './ip-allowlist.ts';
import type { RecognisedToken } from './token.ts';

/** The budgets of a credential, each with the same limit. Plate checks and reports share `calls`. */
export const BUDGET_NAMES = [
  'calls',
  'options',
  'payments',
  'imports',
  'evidence',
  'lists',
  'patrol',
  'office',
] as const;
export type BudgetName = (typeof BUDGET_NAMES)[number];

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
  /** What it takes from the budget. */
  readonly cost: number;
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

/** A whole credential, as its object holds it: its record, and the details that only the administrator sees. */
export interface StoredCredential {
  readonly record: CredentialRecord;
  readonly name: string;
  readonly createdAt: Instant;
  /** The location hint of its object. Null: near its first caller. */
  readonly location: ObjectLocation | null;
}

export const versionOf = ({ record }: StoredCredential): number => record.credential.version;

/** The same credential under another version number. */
export function ofVersion(stored: StoredCredential, version: number): StoredCredential {
  const credential = { ...stored.record.credential, version };
  return { ...stored, record: { ...stored.record, credential } };
}

/** The database's facts about a credential. */
export interface RowFacts {
  /** The tenant's id in the database, found by its code. Null if there is no such tenant. */
  readonly tenantId: number | null;
  /** Codes of the credential's municipalities that belong to the tenant. */
  readonly municipalities: readonly string[];
  /** The credential's own row, or null. */
  readonly row: {
    readonly version: number;
    readonly revokedAt: Instant | null;
    readonly name: string;
    readonly createdAt: Instant;
    readonly location: ObjectLocation | null;
  } | null;
}

/** A credential of which only the record is known. The details are filled in from its row later. */
export const withoutDetails = (record: CredentialRecord): StoredCredential => ({
  record,
  name: record.credential.credentialId,
  createdAt: UNKNOWN_CREATION,
  location: null,
});

const UNKNOWN_CREATION = instant(0);

/** The credential with the details that {@link withoutDetails} left open, if the row has them. */
export function withDetails(
  stored: StoredCredential,
  row: Omit<StoredCredential, 'record'> | null,
): StoredCredential {
  const { name, createdAt } = stored;
  return {
    ...stored,
    name: name === stored.record.credential.credentialId ? (row?.name ?? name) : name,
    createdAt: createdAt === UNKNOWN_CREATION ? (row?.createdAt ?? createdAt) : createdAt,
    location: stored.location ?? row?.location ?? null,
  };
}

/**
 * The credential as it can be written to the database: with the id that its tenant has there, without municipalities
 * that the database does not have, and revoked if the row is revoked. Its version rises if this changes it, and is
 * always higher than that of a newer row.
 *
 * @throws Error when the database does not have the tenant: then there can be no row
 */
export function fitToDatabase(stored: StoredCredential, facts: RowFacts): StoredCredential {
  const { record } = stored;
  const { credential } = record;
  if (facts.tenantId === null) {
    throw new Error(`the database has no tenant "${credential.tenantCode}"`);
  }
  const municipalities = credential.municipalities.filter((code) => facts.municipalities.includes(code));
  const revokedAt = record.revokedAt ?? facts.row?.revokedAt ?? null;
  const isChanged =
    facts.tenantId !== credential.tenantId ||
    municipalities.length !== credential.municipalities.length ||
    revokedAt !== record.revokedAt;
  const version = Math.max(
    isChanged ? credential.version + 1 : credential.version,
    facts.row !== null && facts.row.version > credential.version ? facts.row.version + 1 : 0,
  );
  return {
    ...withDetails(stored, facts.row),
    record: {
      ...record,
      revokedAt,
      credential: { ...credential, tenantId: facts.tenantId, municipalities, version },
    },
  };
}
