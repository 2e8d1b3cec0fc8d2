import type { ObjectLocation } from '../db/schema/index.ts';
import { type Instant, instant } from '../domain/instant.ts';
import type { CredentialRecord } from './credential-record.ts';

/** The whole of a credential, as its object holds it: its record, and what only the administrator sees of it. */
export interface StoredCredential {
  readonly record: CredentialRecord;
  readonly name: string;
  readonly createdAt: Instant;
  /** Where its object was asked to live. Null: near its first caller. */
  readonly location: ObjectLocation | null;
}

export const versionOf = ({ record }: StoredCredential): number => record.credential.version;

/** The same credential under another version number. */
export function ofVersion(stored: StoredCredential, version: number): StoredCredential {
  const credential = { ...stored.record.credential, version };
  return { ...stored, record: { ...stored.record, credential } };
}

/** What the database says of a credential that its object holds. */
export interface RowFacts {
  /** The tenant's number, found by its code. Null: the database has no such tenant. */
  readonly tenantId: number | null;
  /** Those of the credential's municipalities that the tenant has. Codes. */
  readonly municipalities: readonly string[];
  /** The credential's own row. Null: there is none. */
  readonly row: {
    readonly version: number;
    readonly revokedAt: Instant | null;
    readonly name: string;
    readonly createdAt: Instant;
    readonly location: ObjectLocation | null;
  } | null;
}

/** An object that was given its record alone learns the rest from its row; until then it says this. */
export const unnamed = (record: CredentialRecord): StoredCredential => ({
  record,
  name: record.credential.credentialId,
  createdAt: NOT_LEARNT,
  location: null,
});

const NOT_LEARNT = instant(0);

/** The credential with what {@link unnamed} did not know of it. */
export function named(
  stored: StoredCredential,
  row: Omit<StoredCredential, 'record'> | null,
): StoredCredential {
  const { name, createdAt } = stored;
  return {
    ...stored,
    name: name === stored.record.credential.credentialId ? (row?.name ?? name) : name,
    createdAt: createdAt === NOT_LEARNT ? (row?.createdAt ?? createdAt) : createdAt,
    location: stored.location ?? row?.location ?? null,
  };
}

/**
 * The credential as it can be written into the database: with the tenant's number that its code has there, without
 * municipalities that the database does not know, and revoked if the row is. Its version rises when this changes it, and
 * above that of a row that is ahead.
 *
 * @throws Error when the database does not know the tenant: then there can be no row
 */
export function agreedWith(stored: StoredCredential, facts: RowFacts): StoredCredential {
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
    ...named(stored, facts.row),
    record: {
      ...record,
      revokedAt,
      credential: { ...credential, tenantId: facts.tenantId, municipalities, version },
    },
  };
}
