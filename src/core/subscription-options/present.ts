import type { Language } from '../../base/text/text.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import type { OptionsResponse } from './contract.ts';
import type { FoundOptions } from './options.ts';
import { presentTariffa } from './present-tariffa.ts';
import { messageOf } from './texts.ts';

/** The answer of the options query 2.1, instants in the municipality's time zone. */
export function presentOptions(
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
