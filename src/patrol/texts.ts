import type { DoubtCode } from '../domain/patrol/finding.ts';
import type { Text } from '../text/text.ts';

/** A doubt in words for the officer. */
export const DOUBT_TEXT: Record<DoubtCode, Text> = {
  MAY_BE_PAYING: {
    en: 'The driver may be paying right now: look again when the observation is over.',
    it: 'Il conducente potrebbe stare pagando: ricontrollare al termine dell’osservazione.',
  },
  SOURCE_LATE: {
    en: 'This source may not have reported yet what was paid by then.',
    it: 'Questa fonte potrebbe non aver ancora comunicato quanto pagato fino ad allora.',
  },
  LINE_REJECTED: {
    en: 'Within the last day, a payment or subscription that names this plate, or may name it, was rejected.',
    it: 'Nell’ultimo giorno è stato rifiutato un pagamento o un abbonamento che indica, o può indicare, questa targa.',
  },
  PAYMENT_UNSETTLED: {
    en: 'Within a week before, a payment for this plate was recorded that made no period: the office has not settled it yet.',
    it: 'Nella settimana precedente è stato registrato un pagamento per questa targa che non ha creato un periodo: l’ufficio non l’ha ancora definito.',
  },
  SUBSCRIPTION_MAY_BE_RENEWED: {
    en: 'A subscription of this plate waits for a payment, or ended less than a week ago.',
    it: 'Un abbonamento di questa targa attende un pagamento, o è scaduto da meno di una settimana.',
  },
  SIMILAR_PLATE_ENTITLED: {
    en: 'A very similar plate is entitled here: compare the plate once more.',
    it: 'Una targa molto simile è in regola qui: confrontare di nuovo la targa.',
  },
  VALID_IN_OTHER_AREA: {
    en: 'This plate is entitled in another area: the driver may have chosen the wrong one.',
    it: 'Questa targa è in regola in un’altra area: il conducente può aver scelto quella sbagliata.',
  },
};
