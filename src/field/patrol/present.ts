import { ERROR_TEXT } from '../../base/errors/error-codes.ts';
import { UNREAD_TEXT } from '../../base/errors/unread.ts';
import type { Language, Text } from '../../base/text/text.ts';
import type { Instant } from '../../domain/instant.ts';
import { completeUntil, type DoubtCode } from '../../domain/patrol/finding.ts';
import { sourceFreshness } from '../../domain/source-freshness.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import type { Item } from './check.ts';
import type { ItemRefusal, PatrolRequest, PatrolResponse } from './contract.ts';
import type { PatrolMunicipality } from './facts.ts';

/** A doubt in words for the officer. */
const DOUBT_TEXT: Record<DoubtCode, Text> = {
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

/** One plate alone has failed, and asking for it again gives the same. */
const REFUSAL_TEXT: Record<ItemRefusal, Text> = { ...ERROR_TEXT, TEMPORARY_ERROR: UNREAD_TEXT };

/** The answer of a patrol, instants in the municipality's time zone. */
export function presentPatrol(
  { code, name, timeZone, sources }: PatrolMunicipality,
  checks: PatrolRequest['checks'],
  items: readonly Item[],
  now: Instant,
  language: Language,
): PatrolResponse {
  return {
    api_version: '1.0',
    timezone: timeZone,
    municipality: { code, name },
    generated_at: formatInstant(now, timeZone),
    sources: sources.map((source) => {
      const until = completeUntil(source, now);
      return {
        code: source.code,
        name: source.name,
        status: sourceFreshness(source, now),
        complete_until: until === null ? null : formatInstant(until, timeZone),
      };
    }),
    results: items.map((item, index) => presentItem(checks[index]?.id ?? '', item, timeZone, language)),
  };
}

function presentItem(
  id: string,
  item: Item,
  timeZone: string,
  language: Language,
): PatrolResponse['results'][number] {
  if ('refused' in item) {
    return { id, refused: { code: item.refused, message: REFUSAL_TEXT[item.refused][language] } };
  }
  const { plate, seenAt, area, verdict, conclusion } = item;
  const { finding, lookAgainAt, doubts } = conclusion;
  return {
    id,
    plate,
    area: { code: area.code, name: area.name, area_type: area.facility === null ? 'street' : 'facility' },
    seen_at: formatInstant(seenAt, timeZone),
    finding,
    look_again_at: lookAgainAt === null ? null : formatInstant(lookAgainAt, timeZone),
    payment_due: item.paymentDue,
    has_valid_entitlement: verdict.hasValidEntitlement,
    has_valid_parking: verdict.hasValidParking,
    has_valid_subscription: verdict.hasValidSubscription,
    doubts: doubts.map(({ code, sourceCode, area: other }) => ({
      code,
      message: DOUBT_TEXT[code][language],
      ...(sourceCode !== undefined && { source_code: sourceCode }),
      ...(other !== undefined && { area: { code: other.code, name: other.name } }),
    })),
  };
}
