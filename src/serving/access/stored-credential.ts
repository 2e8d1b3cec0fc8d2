import { type Instant, instant } from '../../domain/instant.ts';
import type { ObjectLocation } from '../../storage/db/schema/index.ts';
import type { CredentialRecord } from './credential-record.ts';

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
export function reconcileRow(stored: StoredCredential, facts: RowFacts): StoredCredential {
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
