/** For people who write a client: where to begin, and the rules of the interface, each at the path of its document. */
export const RULE_PAGES = [
  '/docs/gate',
  '/docs/meter',
  '/docs/calling',
  '/docs/interface',
  '/docs/interface/plate-check',
  '/docs/interface/subscription-options',
  '/docs/interface/payments',
  '/docs/interface/active-by-area',
  '/docs/interface/patrol',
  '/docs/interface/entitlement-list',
  '/docs/versioning',
] as const;
