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
const OFFICE_SCOPES: readonly AskedScope[] = ['office', 'office_read'];

/** The first of these scopes that only the administrator gives, if any. */
export const officeScopeIn = (scopes: readonly Scope[]): Scope | undefined =>
  scopes.find((scope) => OFFICE_SCOPES.includes(scope));

/** The scopes that a credential bound to areas may have: those of operations that are about one area at a time. */
export const AREA_SCOPES: readonly Scope[] = ['plate_check', 'entitlement_list', 'patrol'];

/** What an operation asks of a credential. No credential has `administrator`: its token is refused after all other checks. */
export type AskedScope = Scope | 'administrator';

/** The scopes of an office that also allow an operation, in place of the operation's own. */
const ALSO_BY: Partial<Record<AskedScope, readonly Scope[]>> = {
  office_read: ['office'],
  plate_check: ['office', 'office_read'],
  evidence: ['office', 'office_read'],
  import: ['office'],
};

/** The scopes of which each allows what asks for one. */
export const scopesFor = (asked: AskedScope): readonly AskedScope[] => [asked, ...(ALSO_BY[asked] ?? [])];

/** Whether a credential of these scopes may do what asks for one. */
export const allows = (scopes: readonly AskedScope[], asked: AskedScope): boolean =>
  scopes.includes(asked) || actsAsOffice(scopes, asked);

/** Whether an office does this as an office: for all municipalities of its tenant. */
export const actsAsOffice = (scopes: readonly AskedScope[], asked: AskedScope): boolean =>
  scopesFor(asked).some((scope) => scopes.includes(scope) && OFFICE_SCOPES.includes(scope));
