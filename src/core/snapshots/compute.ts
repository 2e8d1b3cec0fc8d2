import { pick } from '../../base/platform/pick.ts';
import type { Instant } from '../../domain/instant.ts';
import { countVehicles, NO_VEHICLES, type Stay, validTime } from '../../domain/occupancy.ts';
import { nextPaymentChange, type PaymentCalendar, paymentDue } from '../../domain/patrol/paid-hours.ts';
import { SHOWN_COLUMNS } from '../../storage/configuration/shown.ts';
import { KEPT_COLUMNS, type MunicipalityRows } from './municipality-rows-table.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * Makes the snapshot of a municipality from its rows, for the run of every minute and for a report.
 *
 * @param at the instant of the counters
 * @param computedAt now
 */
export function snapshotOf(rows: MunicipalityRows, at: Instant, computedAt: Instant): Snapshot {
  const { municipality, sources, areas } = rows;
  const counted = countVehicles(
    areas.map(({ id }) => id),
    staysOf(rows),
    at,
  );
  // Most areas of a city share their hours.
  const payments = new Map<string, ReturnType<typeof paymentOf>>();
  return {
    version: 3,
    at,
    computedAt,
    municipality: pick(municipality, ...KEPT_COLUMNS, 'tenantCode', 'tenantActive'),
    sources,
    areas: areas.map((area) => {
      const { id, latitude, longitude, paidHours } = area;
      const { all, bySource } = counted.get(id) ?? { all: NO_VEHICLES, bySource: new Map() };
      const payment = payments.getOrInsertComputed(JSON.stringify(paidHours), () =>
        paymentOf({ ...municipality, paidHours }, at),
      );
      return {
        ...pick(area, 'id', 'code', 'name', 'areaType', 'capacity'),
        coordinates: latitude === null || longitude === null ? null : { latitude, longitude },
        details: { ...pick(area, ...SHOWN_COLUMNS), ...payment },
        all,
        bySource: Object.fromEntries(bySource),
      };
    }),
  };
}

/** When payment is due in an area, whether it is at an instant, and until when. */
const paymentOf = (calendar: PaymentCalendar, at: Instant) => ({
  paidHours: calendar.paidHours,
  paymentDue: paymentDue(calendar, at),
  paymentDueChangesAt: nextPaymentChange(calendar, at),
});

function* staysOf({ sources, sessions }: MunicipalityRows): Generator<Stay> {
  const byCode = new Map(sources.map((source) => [source.code, source]));
  for (const session of sessions) {
    const source = byCode.get(session.sourceCode);
    if (source === undefined) {
      throw new Error('a session belongs to a source that its municipality does not have');
    }
    const { from, until } = validTime({ ...session, openSessionMaxHours: source.openSessionMaxHours });
    yield { vehicle: session.plate, areaId: session.areaId, sourceId: source.id, from, until };
  }
}
