import { ERROR_TEXT } from '../../../src/base/errors/error-codes.ts';
import type { Language, Text } from '../../../src/base/text/text.ts';
import { ACCESS_REASON_TEXT } from '../../../src/core/entitlement/texts.ts';
import type { Finding } from '../../../src/domain/patrol/finding.ts';
import type { SubscriptionReasonCode } from '../../../src/domain/subscription.ts';

const OK: Text = { en: 'answered', it: 'risposta data' };

/** Why a subscription is valid, or not. */
const SUBSCRIPTION_REASONS: Record<SubscriptionReasonCode, Text> = {
  SUBSCRIPTION_REVOKED: { en: 'it is revoked', it: 'è revocato' },
  SUBSCRIPTION_SUSPENDED: { en: 'it is suspended', it: 'è sospeso' },
  AUTHORIZATION_NOT_YET_ACTIVE: {
    en: 'its authorization has not begun',
    it: 'l’autorizzazione non è ancora iniziata',
  },
  AUTHORIZATION_EXPIRED: { en: 'its authorization has ended', it: 'l’autorizzazione è finita' },
  FIRST_ACTIVATION_REQUIRED: { en: 'no period has been paid', it: 'nessun periodo è stato pagato' },
  PERIOD_NOT_YET_ACTIVE: {
    en: 'its paid period has not begun',
    it: 'il periodo pagato non è ancora iniziato',
  },
  PERIOD_EXPIRED: { en: 'its paid period has ended', it: 'il periodo pagato è finito' },
  AREA_CODE_REQUIRED: {
    en: 'it is limited to areas: ask with one',
    it: 'è limitato ad alcune aree: indicarne una',
  },
  AREA_NOT_ALLOWED: { en: 'it does not hold in this area', it: 'non vale in quest’area' },
  VALID_SUBSCRIPTION: { en: 'valid', it: 'valido' },
};

const WORDS: Readonly<Record<string, Text>> = {
  ...ERROR_TEXT,
  ...ACCESS_REASON_TEXT,
  ...SUBSCRIPTION_REASONS,
  OK,
};

/** A code of the service with its words. A newer code than this command knows is shown unchanged. */
export function reasonText(code: string, language: Language): string {
  const words = Object.hasOwn(WORDS, code) ? WORDS[code] : undefined;
  return words === undefined ? code : `${words[language].replace(/\.$/, '')} (${code})`;
}

const FINDINGS: Record<Finding, Text> = {
  entitled: { en: 'entitled', it: 'in regola' },
  tolerated: { en: 'tolerated', it: 'tollerata' },
  not_due: { en: 'nothing due', it: 'nulla da pagare' },
  look_again: { en: 'look again', it: 'ricontrollare' },
  officer_decides: { en: 'the officer decides', it: 'decide l’agente' },
  no_entitlement: { en: 'no entitlement', it: 'nessun titolo' },
};

/** How a check of the call log ended: a patrol's finding, or a code. */
export const outcomeText = (outcome: string, language: Language): string =>
  Object.hasOwn(FINDINGS, outcome) ? FINDINGS[outcome as Finding][language] : reasonText(outcome, language);
