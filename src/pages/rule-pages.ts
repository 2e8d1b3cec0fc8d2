/** The rules of the interface for people who write a client, each at the path of its document. */
export const RULE_PAGES = [
  '/docs/interface',
  '/docs/interface/plate-check',
  '/docs/interface/subscription-options',
  '/docs/interface/payments',
  '/docs/interface/active-by-area',
  '/docs/interface/patrol',
  '/docs/interface/entitlement-list',
  '/docs/versioning',
] as const;
