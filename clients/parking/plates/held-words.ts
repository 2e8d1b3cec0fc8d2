import type { Counted } from '../terminal/numbers.ts';

/** The kinds of data of a plate. */
export const HELD = {
  sessions: [
    { en: 'session', it: 'sosta' },
    { en: 'sessions', it: 'soste' },
  ],
  subscriptions: [
    { en: 'subscription', it: 'abbonamento' },
    { en: 'subscriptions', it: 'abbonamenti' },
  ],
  history: [
    { en: 'change', it: 'modifica' },
    { en: 'changes', it: 'modifiche' },
  ],
  payments: [
    { en: 'payment', it: 'pagamento' },
    { en: 'payments', it: 'pagamenti' },
  ],
  calls: [
    { en: 'call', it: 'chiamata' },
    { en: 'calls', it: 'chiamate' },
  ],
} as const satisfies Record<string, Counted>;
