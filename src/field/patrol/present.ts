import { ERROR_TEXT } from '../../base/errors/error-codes.ts';
import type { Language } from '../../base/text/text.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Doubt } from '../../domain/patrol/finding.ts';
import { completeUntil, usualDelaySeconds } from '../../domain/patrol/source-delay.ts';
import { sourceFreshness } from '../../domain/source-freshness.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import type { FoundSource } from '../../serving/lookups/reporting-sources-table.ts';
import type { Item } from './check.ts';
import type { PatrolRequest, PatrolResponse } from './contract.ts';
import type { PatrolMunicipality } from './facts.ts';
import { DOUBT_TEXT } from './texts.ts';

/** The answer of a patrol, instants in the municipality's time zone. */
export function presentPatrol(
  municipality: PatrolMunicipality,
  checks: PatrolRequest['checks'],
  items: readonly Item[],
  now: Instant,
  language: Language,
): PatrolResponse {
  const { code, name, timeZone, sources } = municipality;
  return {
    api_version: '1.0',
    timezone: timeZone,
    municipality: { code, name },
    generated_at: formatInstant(now, timeZone),
    sources: sources.filter(({ active }) => active).map((source) => presentSource(source, now, timeZone)),
    results: items.map((item, index) => presentItem(checks[index]?.id ?? '', item, timeZone, language)),
  };
}

function presentSource(
  source: FoundSource,
  now: Instant,
  timeZone: string,
): PatrolResponse['sources'][number] {
  const until = completeUntil(source, now);
  return {
    code: source.code,
    name: source.name,
    status: sourceFreshness(source, now),
    usual_delay_seconds: usualDelaySeconds(source, now),
    complete_until: until === null ? null : formatInstant(until, timeZone),
  };
}

function presentItem(
  id: string,
  item: Item,
  timeZone: string,
  language: Language,
): PatrolResponse['results'][number] {
  if ('refused' in item) {
    return { id, refused: { code: item.refused, message: ERROR_TEXT[item.refused][language] } };
  }
  const { plate, seenAt, area, verdict, conclusion, areaNames } = item;
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
    doubts: doubts.map((doubt) => presentDoubt(doubt, areaNames, language)),
  };
}

function presentDoubt(doubt: Doubt, areaNames: ReadonlyMap<string, string>, language: Language) {
  const said = { code: doubt.code, message: DOUBT_TEXT[doubt.code][language] };
  switch (doubt.code) {
    case 'SOURCE_LATE':
      return { ...said, source_code: doubt.sourceCode };
    case 'VALID_IN_OTHER_AREA':
      return {
        ...said,
        area: { code: doubt.areaCode, name: areaNames.get(doubt.areaCode) ?? doubt.areaCode },
      };
    default:
      return said;
  }
}
