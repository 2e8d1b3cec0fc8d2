import type { Language, Text } from '../../base/text/text.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Plate } from '../../domain/plate.ts';
import type { PurchaseVerdict, ResultCode } from '../../domain/purchase-options.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import type { OptionsResponse } from './contract.ts';
import type { OptionsMunicipality } from './facts.ts';

/** `message`: what the meter may show its customer. */
export const RESULT_TEXT: Record<ResultCode, Text> = {
  OPTIONS_AVAILABLE: {
    en: 'Choose one of the plans.',
    it: 'Scegliere una delle tariffe.',
  },
  SUBSCRIPTION_NOT_FOUND: {
    en: 'There is no subscription for this plate.',
    it: 'Non ci sono abbonamenti per questa targa.',
  },
  DIRECT_PURCHASE_NOT_SUPPORTED: {
    en: 'The subscription of this plate cannot be bought at a parking meter.',
    it: "L'abbonamento di questa targa non si può acquistare al parcometro.",
  },
  PLATE_NOT_ACTIVE: {
    en: 'This plate is not active on the subscription.',
    it: "Questa targa non è attiva sull'abbonamento.",
  },
  APPLICATION_NOT_APPROVED: {
    en: 'The application for the subscription has not been approved.',
    it: "La richiesta dell'abbonamento non è stata approvata.",
  },
  SUBSCRIPTION_REVOKED: {
    en: 'The subscription has been revoked.',
    it: "L'abbonamento è stato revocato.",
  },
  SUBSCRIPTION_SUSPENDED: {
    en: 'The subscription is suspended.',
    it: "L'abbonamento è sospeso.",
  },
  AUTHORIZATION_NOT_STARTED: {
    en: 'The authorization of the subscription has not started yet.',
    it: "L'autorizzazione dell'abbonamento non è ancora iniziata.",
  },
  AUTHORIZATION_EXPIRED: {
    en: 'The authorization of the subscription has expired.',
    it: "L'autorizzazione dell'abbonamento è scaduta.",
  },
  FUTURE_RENEWAL_ALREADY_PRESENT: {
    en: 'The subscription has already been renewed: a paid period starts later.',
    it: "L'abbonamento è già stato rinnovato: un periodo pagato inizia più tardi.",
  },
  RENEWAL_NOT_ALLOWED: {
    en: 'The subscription cannot be renewed now.',
    it: "L'abbonamento non si può rinnovare ora.",
  },
  NO_PARKING_METER_PLANS: {
    en: 'Parking meters have no plan for this subscription.',
    it: 'Non ci sono tariffe al parcometro per questo abbonamento.',
  },
  MULTIPLE_SUBSCRIPTIONS_FOUND: {
    en: 'More than one subscription of this plate could be bought: please ask the office.',
    it: "Più abbonamenti di questa targa sono acquistabili: rivolgersi all'ufficio.",
  },
};

/** If a subscription was never active: "renewed" would puzzle its holder. */
const PAID_AHEAD: Text = {
  en: 'A paid period of the subscription starts later.',
  it: "Un periodo pagato dell'abbonamento inizia più tardi.",
};

/** The answer of the options query 2.1, instants in the municipality's time zone. */
export function presentOptions(
  { plate, terminal_code }: { readonly plate: Plate; readonly terminal_code: string | undefined },
  municipality: OptionsMunicipality,
  { resultCode, isRenewed, sale, subscriptionsCount, entitlementsCount }: PurchaseVerdict,
  at: Instant,
  language: Language,
): OptionsResponse {
  const { code, name, timeZone } = municipality;
  const message =
    resultCode === 'FUTURE_RENEWAL_ALREADY_PRESENT' && !isRenewed ? PAID_AHEAD : RESULT_TEXT[resultCode];
  const tariffe = (sale?.offers ?? []).map(({ plan, expiry }) => ({
    codice_tariffa: plan.code,
    importo_eurocent: plan.amountCents,
    scadenza: expiry,
    descrizione: plan.description,
    jolly_info: '' as const,
  }));
  return {
    api_version: '2.1',
    result_code: resultCode,
    message: message[language],
    eligible: sale !== null,
    plate,
    municipality: { code, name },
    ...(terminal_code !== undefined && { terminal_code }),
    timezone: timeZone,
    generated_at: formatInstant(at, timeZone),
    operation: sale?.operation ?? 'none',
    subscriptions_count: subscriptionsCount,
    options_count: tariffe.length,
    entitlements_count: entitlementsCount,
    tariffe,
  };
}
