import type { BudgetName } from './budget-names.ts';
import type { RateReport } from './decide-admission.ts';

/** `RateLimit` and `RateLimit-Policy` of the IETF draft: the budget's name, its rest, and until when. */
export function rateLimitHeaders(budget: BudgetName, rate: RateReport): Record<string, string> {
  return {
    'RateLimit-Policy': `"${budget}";q=${rate.limit};w=${rate.windowSeconds}`,
    RateLimit: `"${budget}";r=${rate.remaining};t=${rate.resetSeconds}`,
  };
}
