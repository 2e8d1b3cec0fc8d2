import { Refusal } from '../../base/errors/refusal.ts';
import type { Language, Text } from '../../base/text/text.ts';
import type { PurchaseVerdict, ResultCode } from '../../domain/purchase-options.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import { OPTIONS_BODY } from '../../serving/http/body.ts';
import { operation } from '../../serving/pipeline/operation.ts';
import { type OptionsResponse, optionsRequest, optionsResponse } from './contract.ts';
import { type FoundOptions, findOptions, optionsReading, presentTariffa } from './options.ts';

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

const messageOf = ({ resultCode, isRenewed }: PurchaseVerdict): Text =>
  resultCode === 'FUTURE_RENEWAL_ALREADY_PRESENT' && !isRenewed ? PAID_AHEAD : RESULT_TEXT[resultCode];

/** The answer of the options query 2.1, instants in the municipality's time zone. */
function presentOptions(
  { plate, at, municipality, verdict }: FoundOptions,
  terminalCode: string | undefined,
  language: Language,
): OptionsResponse {
  const { resultCode, sale } = verdict;
  const { timeZone } = municipality;
  const tariffe = sale?.plans.map((plan) => presentTariffa(plan, sale.currentExpiry, at, timeZone)) ?? [];
  return {
    api_version: '2.1',
    result_code: resultCode,
    message: messageOf(verdict)[language],
    eligible: sale !== null,
    plate,
    municipality: { code: municipality.code, name: municipality.name },
    ...(terminalCode !== undefined && { terminal_code: terminalCode }),
    timezone: timeZone,
    generated_at: formatInstant(at, timeZone),
    operation: sale?.operation ?? 'none',
    subscriptions_count: verdict.subscriptionsCount,
    options_count: tariffe.length,
    entitlements_count: verdict.entitlementsCount,
    tariffe,
  };
}

/** A customer waits at the meter: after this, a clear failure is better than an answer. */
const ANSWER_WITHIN_MS = 2_000;
/** The time for the answer itself; the rest is for writing the call log. */
const DECIDE_WITHIN_MS = 1_500;

/** The subscription options query 2.1: what a parking meter can sell for a plate. */
export const subscriptionOptions = operation({
  id: 'findSubscriptionOptions',
  method: 'POST',
  path: '/api/v2/parking-meters/subscription-options',
  access: {
    by: 'credential',
    scope: 'subscription_options',
    budget: 'options',
    tokenHeaders: 'authorization_only',
    // A meter that gets a 500 asks again, and no car waits behind a barrier meanwhile.
  },
  deadlineMs: DECIDE_WITHIN_MS,
  body: { kind: 'json', schema: optionsRequest, maxBytes: OPTIONS_BODY },
  reads: optionsReading,
  answer: optionsResponse,
  errors: ['SERVICE_DISABLED', 'INVALID_PLATE'],
  log: { operation: 'subscription_options', whole: { answerWithinMs: ANSWER_WITHIN_MS } },
  handle: async ({ body }, context) => {
    const found = await findOptions(context);
    if (found === null) {
      return { refused: new Refusal('SERVICE_DISABLED') };
    }
    return {
      answer: presentOptions(found, body.terminal_code, context.language),
      outcome: found.verdict.resultCode,
    };
  },
});
