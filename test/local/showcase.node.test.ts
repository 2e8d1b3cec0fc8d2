import { describe, expect, it } from 'vitest';
import { judgeEntitlement } from '../../src/domain/entitlement.ts';
import {
  ACCESS_REASON_CODES,
  type AccessEvent,
  decideFacilityAccess,
  type Facility,
} from '../../src/domain/facility-access.ts';
import { DAY_MS, HOUR_MS, type Instant, instant, MINUTE_MS } from '../../src/domain/instant.ts';
import { normalizePlate } from '../../src/domain/plate.ts';
import {
  decidePurchase,
  type HeldSubscription,
  PURCHASE_OPERATIONS,
  RESULT_CODES,
} from '../../src/domain/purchase-options.ts';
import { diagnoseSubscription, SUBSCRIPTION_REASON_CODES } from '../../src/domain/subscription.ts';
import { municipalityCodes, readAreas } from '../../tools/local/demo/areas.ts';
import { configurationDocument } from '../../tools/local/demo/configuration.ts';
import { ordinarySubscriptions } from '../../tools/local/demo/residents.ts';
import { SHOWCASE, SHOWCASE_CITY, type Showcase } from '../../tools/local/demo/showcase.ts';
import { showcaseSessions, showcaseSubscriptions } from '../../tools/local/demo/showcase-lines.ts';
import { sessionOf, subscriptionOf, time } from './facts.ts';

/** When the data is loaded: the first and the last hours of a day, and an ordinary moment of it. */
const LOADED_AT = ['2026-03-10T11:23:45Z', '2026-03-10T00:00:00Z', '2026-12-31T23:59:59Z'].map(time);

const city = configurationDocument(readAreas()).municipalities.find(({ code }) => code === SHOWCASE_CITY);
const facilities = new Map(
  (city?.areas ?? []).map((area) => [area.code, 'facility' in area ? area.facility : null]),
);

function facilityOf(areaCode: string): Facility {
  const settings = facilities.get(areaCode);
  if (!settings) throw new Error(`no facility: ${areaCode}`);
  return {
    serviceEnabled: settings.service_enabled,
    plateControlEnabled: settings.plate_control_enabled,
    subscriptionAccess: settings.subscription_access,
    entryGraceMinutes: settings.entry_grace_minutes,
    exitGraceMinutes: settings.exit_grace_minutes,
  };
}

/** What the service knows of a special plate, once the lines of an instant are imported. */
function factsOf(plate: string, loadedAt: Instant, areaCode: string | null) {
  const sessions = showcaseSessions(loadedAt)
    .filter(({ line }) => line.plate === plate && (areaCode === null || line.area_code === areaCode))
    .map(({ line, sourceCode }) => sessionOf(line, sourceCode, 24));
  const subscriptions = showcaseSubscriptions(loadedAt)
    .filter(({ line }) => line.plates.some((entry) => entry.plate === plate))
    .map(({ line }) => subscriptionOf(line, plate));
  return { sessions, subscriptions, subscriptionsSupported: true, areaCode };
}

function diagnosesOf(plate: string, loadedAt: Instant, at: Instant, areaCode: string | null) {
  return judgeEntitlement(factsOf(plate, loadedAt, areaCode), at).subscriptions.map(
    (item) => item.reasonCode,
  );
}

function gateOf(plate: string, loadedAt: Instant, at: Instant, event: AccessEvent, areaCode: string) {
  const facts = factsOf(plate, loadedAt, areaCode);
  const verdict = judgeEntitlement(facts, at);
  const { reasonCode, granted } = decideFacilityAccess(
    {
      event,
      facility: facilityOf(areaCode),
      sessions: facts.sessions,
      holdsSubscription: verdict.hasValidSubscription,
    },
    at,
  );
  return { reasonCode, granted, entitled: verdict.hasValidEntitlement };
}

/** What a parking meter may sell for a plate, with the types and plans of the configuration. */
function resultOf(plate: string, loadedAt: Instant, at: Instant) {
  const held = showcaseSubscriptions(loadedAt)
    .filter(({ line }) => line.plates.some((entry) => entry.plate === plate))
    .map(({ line }) => ({
      subscription: subscriptionOf(line, plate),
      isActivated: line.periods.length > 0,
      ...offerOf(line.type),
    }));
  return decidePurchase(held, at).resultCode;
}

function offerOf(typeCode: string): Pick<HeldSubscription, 'type' | 'plans'> {
  const type = city?.subscription_types.find(({ code }) => code === typeCode);
  const plans = city?.plans.filter(
    (plan) => plan.subscription_type === typeCode && !('on_parking_meter' in plan && !plan.on_parking_meter),
  );
  return {
    type: {
      freelySold: type !== undefined && 'freely_sold' in type,
      renewalAllowed: type !== undefined && !('renewal_allowed' in type),
      renewalOpensDaysBefore:
        type !== undefined && 'renewal_opens_days_before' in type ? type.renewal_opens_days_before : null,
    },
    plans: (plans ?? []).map((plan) => ({
      code: plan.codice_tariffa,
      amountCents: plan.importo_eurocent,
      duration: plan.duration,
      description: plan.descrizione,
      operations: PURCHASE_OPERATIONS,
    })),
  };
}

const diagnoses = SHOWCASE.flatMap(({ plate, title, shows }) =>
  shows.flatMap((shown) => (shown.by === 'diagnosis' ? [{ plate, title, ...shown }] : [])),
);
const gates = SHOWCASE.flatMap(({ plate, title, shows }) =>
  shows.flatMap((shown) => (shown.by === 'gate' ? [{ plate, title, ...shown }] : [])),
);
const purchases = SHOWCASE.flatMap(({ plate, title, shows }) =>
  shows.flatMap((shown) => (shown.by === 'options' ? [{ plate, title, ...shown }] : [])),
);
const isTolerance = ({ entitled, reasonCode }: (typeof gates)[number]) =>
  !entitled && reasonCode === 'VALID_PREPAID_FACILITY_SESSION';

describe('The showcase', () => {
  it('has a plate for every reason of a diagnosis', () => {
    expect(new Set(diagnoses.map(({ reasonCode }) => reasonCode))).toEqual(
      new Set(SUBSCRIPTION_REASON_CODES),
    );
  });

  it('has a plate for every reason of a gate', () => {
    expect(new Set(gates.map(({ reasonCode }) => reasonCode))).toEqual(new Set(ACCESS_REASON_CODES));
  });

  it('has a plate for every result of the options query', () => {
    expect(new Set(purchases.map(({ resultCode }) => resultCode))).toEqual(new Set(RESULT_CODES));
  });

  it('has plates of its own, normalized, each with something to show', () => {
    const plates = SHOWCASE.map(({ plate }: Showcase) => plate);
    expect(new Set(plates).size).toBe(plates.length);
    for (const { plate, shows } of SHOWCASE) {
      expect(normalizePlate(plate)).toBe(plate);
      expect(plate).toMatch(/[IOQU]/);
      expect(shows.length).toBeGreaterThan(0);
    }
  });

  it('keeps its ids and numbers as time goes on', () => {
    const keysAt = (now: Instant) => [
      ...showcaseSessions(now).map(({ line }) => line.session_id),
      ...showcaseSubscriptions(now).map(({ line }) => line.subscription_number),
    ];
    const [first, later] = [keysAt(LOADED_AT[0] as Instant), keysAt(LOADED_AT[2] as Instant)];
    expect(new Set(first).size).toBe(first.length);
    expect(later).toEqual(first);
  });
});

describe.each(diagnoses)('$plate ($title)', ({ plate, areaCode, reasonCode }) => {
  it(`is diagnosed ${reasonCode} for area ${areaCode}, and for half a day on`, () => {
    for (const loadedAt of LOADED_AT) {
      for (const later of [0, 5 * MINUTE_MS, 12 * HOUR_MS]) {
        const at = instant(loadedAt + later);
        expect(diagnosesOf(plate, loadedAt, at, areaCode)).toEqual([reasonCode]);
      }
    }
  });
});

describe.each(gates)('$plate ($title)', (shown) => {
  const { plate, event, areaCode, reasonCode, entitled } = shown;
  // A tolerance is renewed every five minutes; a computer that sleeps a little longer still shows it.
  const holdsFor = isTolerance(shown) ? [0, 5 * MINUTE_MS, 8 * MINUTE_MS] : [0, 5 * MINUTE_MS, 8 * HOUR_MS];

  it(`gets ${reasonCode} at ${event}, and goes on getting it`, () => {
    for (const loadedAt of LOADED_AT) {
      for (const later of holdsFor) {
        const decision = gateOf(plate, loadedAt, instant(loadedAt + later), event, areaCode);
        expect(decision).toEqual({ reasonCode, granted: reasonCode.startsWith('VALID_'), entitled });
      }
    }
  });
});

describe.each(purchases)('$plate ($title)', ({ plate, resultCode }) => {
  it(`makes a parking meter say ${resultCode}, and for half a day on`, () => {
    for (const loadedAt of LOADED_AT) {
      for (const later of [0, 5 * MINUTE_MS, 12 * HOUR_MS]) {
        expect(resultOf(plate, loadedAt, instant(loadedAt + later))).toBe(resultCode);
      }
    }
  });
});

describe('The ordinary subscriptions', () => {
  it('are valid everywhere in their city, today and after a year of renewals under the same numbers', () => {
    const cities = municipalityCodes(readAreas());
    for (const days of [0, 17, 365]) {
      const now = instant((LOADED_AT[0] as Instant) + days * DAY_MS);
      const reasons = ordinarySubscriptions(cities, now).flatMap(({ line }) =>
        line.plates.map(
          ({ plate }) => diagnoseSubscription(subscriptionOf(line, plate), now, null).reasonCode,
        ),
      );
      expect(reasons).toHaveLength(300);
      expect(new Set(reasons)).toEqual(new Set(['VALID_SUBSCRIPTION']));
    }
  });
});
