import type { Text } from '../../../src/base/text/text.ts';
import type { Answer } from '../../client/index.ts';

type Check = Answer<'checkPlate'>;
type Payment = Answer<'findPaymentsForOffice'>['payments'][number];

/** The service's own words in English; an Italian table says them in Italian. JSON has them unchanged. */
const ITALIAN = {
  session: {
    valid: 'valida',
    not_started: 'non iniziata',
    expired: 'scaduta',
    cancelled: 'annullata',
  } satisfies Record<Check['sessions'][number]['status'], string>,
  subscription: {
    revoked: 'revocato',
    suspended: 'sospeso',
    approved: 'approvato',
    expired: 'scaduto',
    active: 'attivo',
  } satisfies Record<Check['subscriptions'][number]['status'], string>,
  credential: {
    active: 'attiva',
    expired: 'scaduta',
    revoked: 'revocata',
  } satisfies Record<Answer<'listCredentials'>['credentials'][number]['status'], string>,
  source: {
    native: 'interna',
    fresh: 'aggiornata',
    stale: 'in silenzio',
    error: 'in errore',
    never: 'mai trasmesso',
  } satisfies Record<Answer<'searchEvidence'>['sources'][number]['status'], string>,
  purchase: {
    first_activation: 'prima attivazione',
    renewal: 'rinnovo',
    none: 'nessuna',
  } satisfies Record<Answer<'findSubscriptionOptions'>['operation'], string>,
  payment: {
    accepted: 'accettato',
    unsettled: 'da definire',
    settled: 'definito',
    reversed: 'stornato',
  } satisfies Record<Payment['state'], string>,
  settlement: {
    refunded: 'rimborsato',
    corrected: 'corretto',
  } satisfies Record<NonNullable<Payment['settled']>['outcome'], string>,
};

type Kind = keyof typeof ITALIAN;

/** A status in words. A newer one than this command knows is shown unchanged. */
export function statusText<K extends Kind>(kind: K, status: keyof (typeof ITALIAN)[K] & string): Text {
  const words: Readonly<Record<string, string>> = ITALIAN[kind];
  return { en: status, it: words[status] ?? status };
}

/** Of a source, where the English word is not the service's either. */
export const SOURCE_WORDS: Record<Answer<'reportActiveByArea'>['source_freshness'][number]['status'], Text> =
  {
    native: { en: 'native', it: ITALIAN.source.native },
    fresh: { en: 'fresh', it: ITALIAN.source.fresh },
    stale: { en: 'silent', it: ITALIAN.source.stale },
    error: { en: 'failing', it: ITALIAN.source.error },
    never: { en: 'never reported', it: ITALIAN.source.never },
  };
