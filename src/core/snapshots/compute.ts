import type { Instant } from '../../domain/instant.ts';
import { countVehicles, validTime } from '../../domain/occupancy.ts';
import { nextPaymentChange, type PaymentCalendar, paymentDue } from '../../domain/patrol/paid-hours.ts';
import { type Municipality, type MunicipalityRows, readRows } from './municipality-rows-table.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * Computes the snapshots of municipalities, in their order, in one round trip.
 *
 * @param at the instant of the counters
 */
export async function computeSnapshots(
  d1: D1Database,
  municipalities: readonly Municipality[],
  at: Instant,
  clock: () => Instant,
): Promise<Snapshot[]> {
  const read = await readRows(d1, municipalities, at);
  const computedAt = clock();
  return read.map((rows) => snapshotOf(rows, at, computedAt));
}

function snapshotOf(rows: MunicipalityRows, at: Instant, computedAt: Instant): Snapshot {
  const { holidays, ...municipality } = rows.municipality;
  const { timeZone } = municipality;
  const staysByArea = Map.groupBy(staysOf(rows, at), ({ areaId }) => areaId);
  // Most areas of a city share their hours.
  const payments = new Map<string, ReturnType<typeof paymentOf>>();
  return {
    version: 4,
    at,
    computedAt,
    municipality,
    sources: rows.sources,
    areas: rows.areas.map(({ municipalityId: _, ...area }) => {
      const { paidHours } = area;
      const stays = staysByArea.get(area.id) ?? [];
      const bySource = Map.groupBy(stays, ({ sourceId }) => sourceId);
      return {
        ...area,
        ...payments.getOrInsertComputed(JSON.stringify(paidHours), () =>
          paymentOf({ paidHours, holidays, timeZone }, at),
        ),
        counters: countVehicles(stays, at),
        bySource: Object.fromEntries([...bySource].map(([id, own]) => [id, countVehicles(own, at)])),
      };
    }),
  };
}

/** Whether payment is due at an instant, and until when. */
const paymentOf = (calendar: PaymentCalendar, at: Instant) => ({
  paymentDue: paymentDue(calendar, at),
  paymentDueChangesAt: nextPaymentChange(calendar, at),
});

/** The sessions that may count, each with its source's id. An open one ends by its source's `open_session_max_hours`. */
function staysOf({ sources, sessions }: MunicipalityRows, at: Instant) {
  const bySource = Map.groupBy(sessions, ({ sourceCode }) => sourceCode);
  const stays = sources.flatMap(({ id: sourceId, code, openSessionMaxHours }) =>
    (bySource.get(code) ?? []).map(({ plate, areaId, ...times }) => ({
      ...{ plate, areaId, sourceId },
      ...validTime({ ...times, openSessionMaxHours }),
    })),
  );
  // Open sessions were read by the most hours of all sources: by those of their own some are over.
  return stays.filter(({ until }) => until > at);
}
