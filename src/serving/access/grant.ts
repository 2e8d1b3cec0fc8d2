import type { CredentialRecord } from './credential-record.ts';

/**
 * The rights of an admitted call, from its credential's object. The rest of the call learns nothing more
 * about the credential.
 */
export interface Grant {
  readonly credentialId: string;
  readonly tenantId: number;
  readonly tenantCode: string;
  /**
   * Codes. If the call names a municipality: that one, or none if the credential may not use it. Otherwise all that the
   * credential may use.
   */
  readonly municipalities: readonly string[];
  /** Null: unlimited. */
  readonly historicalDaysAllowed: number | null;
  /** The source that its imports are bound to, if any. */
  readonly sourceCode: string | null;
  /** Codes of the only areas that the call may be about. Null: all. */
  readonly areas: readonly string[] | null;
}

/** Whether a call may be about an area, which need not exist. */
export const mayName = ({ areas }: Pick<Grant, 'areas'>, areaCode: string): boolean =>
  areas === null || areas.includes(areaCode);

/** All that a credential grants, whichever municipality the call names. */
export function grantOf({ credential }: CredentialRecord): Grant {
  const { credentialId, tenantId, tenantCode, historicalDaysAllowed, sourceCode, areas, municipalities } =
    credential;
  return { credentialId, tenantId, tenantCode, municipalities, historicalDaysAllowed, sourceCode, areas };
}

/**
 * The part of a grant that is for a municipality.
 *
 * @param code of the municipality that the call names, if any
 */
export function narrowTo(code: string | null, grant: Grant): Grant {
  return code === null
    ? grant
    : { ...grant, municipalities: grant.municipalities.filter((known) => known === code) };
}
