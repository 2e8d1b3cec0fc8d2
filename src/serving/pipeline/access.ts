import type { BudgetName } from '../access/budget-names.ts';
import type { AskedScope, Scope } from '../access/credential-record.ts';

/** Who may call an operation. */
export type Access = { readonly by: 'anybody' } | AdministratorAccess | CredentialAccess;

/** `Authorization: Bearer` with the Worker's secret `ADMIN_TOKEN`, or with the token of a credential that is an office. */
export interface AdministratorAccess {
  readonly by: 'administrator';
  /**
   * What an office may do there, within the bounds that its handler gets: nothing; read (scopes `office` and `office_read`);
   * change (scope `office` alone).
   */
  readonly office: 'nothing' | 'reads' | 'changes';
  /**
   * Whether an office's call is admitted while the home cannot say if its tenant is active: by default it
   * fails.
   */
  readonly whenHomeIsAway?: 'go_on';
}

export interface CredentialAccess {
  readonly by: 'credential';
  /** Null: every credential may call it. */
  readonly scope: Scope | null;
  /** The budget from which each admitted call takes one. */
  readonly budget: BudgetName;
  /** Whether `X-Service-Token` and `X-Api-Key` are accepted as well as `Authorization`. */
  readonly tokenHeaders: 'all' | 'authorization_only';
  /** What happens while the credential's object cannot be reached. A gate must keep working. */
  readonly whenObjectIsAway: 'admit_from_database' | 'fail';
  /** Whether it imports more than one source's sessions: a credential bound to a source may not call it. */
  readonly importsBeyondSource?: true;
}

/** The properties that a credential's admission depends on. */
export interface AdmissionRule extends Omit<CredentialAccess, 'by' | 'scope'> {
  readonly scope: AskedScope | null;
}

const OFFICE_ASKS = { nothing: 'administrator', reads: 'office_read', changes: 'office' } as const;

/** How a credential is admitted to an administrator's operation. */
export const officeRule = ({ office }: AdministratorAccess): AdmissionRule => ({
  scope: OFFICE_ASKS[office],
  budget: 'office',
  tokenHeaders: 'authorization_only',
  whenObjectIsAway: 'fail',
});
