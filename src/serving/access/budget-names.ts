/** The budgets of a credential, each with the same limit. Plate checks and reports share `calls`. */
export const BUDGET_NAMES = ['calls', 'options', 'imports', 'evidence', 'lists', 'patrol', 'office'] as const;
export type BudgetName = (typeof BUDGET_NAMES)[number];
