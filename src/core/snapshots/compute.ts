import { pick } from '../../base/platform/pick.ts';
import { type Instant, instant, nullableInstant } from '../../domain/instant.ts';
import { countVehicles, NO_VEHICLES, type Stay, validTime } from '../../domain/occupancy.ts';
import {
  nextPaymentChange,
  type PaidSpan,
  type PaymentCalendar,
  paymentDue,
} from '../../domain/patrol/paid-hours.ts';
import type {
  AreaRow,
  MunicipalityRow,
  MunicipalityRows,
  SessionRow,
  SourceRow,
} from './municipality-rows-table.ts';
import {
  type AreaDetails,
  type Snapshot,
  type SnapshotMunicipality,
  type SnapshotSource,
  shownOf,
} from './snapshot.ts';

/**
 * Makes the snapshot of a municipality from its rows, for the run of every minute and for a report.
 *
 * @param at the instant of the counters
 * @param computedAt now
 */
export function snapshotOf(rows: MunicipalityRows, at: Instant, computedAt: Instant): Snapshot {
  const counted = countVehicles(
    rows.areas.map(({ id }) => id),
    staysOf(rows),
    at,
  );
  const paymentAt = paymentOf(rows.municipality, at);
  return {
    at,
    computedAt,
    municipality: municipalityOf(rows.municipality),
    sources: rows.sources.map(sourceOf),
    areas: rows.areas.map((area) => {
      const { id, latitude, longitude } = area;
      return {
        ...pick(area, 'id', 'code', 'name', 'areaType', 'capacity'),
        coordinates: latitude === null || longitude === null ? null : { latitude, longitude },
        details: { ...shownOf(area), ...paymentAt(area) },
        ...(counted.get(id) ?? { all: NO_VEHICLES, bySource: new Map() }),
      };
    }),
  };
}

const municipalityOf = ({ municipalityId, holidays: _, ...row }: MunicipalityRow): SnapshotMunicipality => ({
  ...{ ...row, id: municipalityId },
  tenantActive: row.tenantActive === 1,
  reportEnabled: row.reportEnabled === 1,
});

type Payment = Pick<AreaDetails, 'paymentDue' | 'paymentDueChangesAt' | 'paidHours'>;

/** When payment is due in an area, whether it is at an instant, and until when. Most areas of a city share their hours. */
function paymentOf({ holidays, timeZone }: MunicipalityRow, at: Instant): (area: AreaRow) => Payment {
  const known = new Map<string, Payment>();
  return ({ paidHours }) =>
    known.getOrInsertComputed(paidHours ?? '', () => {
      const calendar: PaymentCalendar = {
        // Both were stored by the configuration, which validates them.
        paidHours: paidHours === null ? null : (JSON.parse(paidHours) as PaidSpan[]),
        holidays: JSON.parse(holidays) as string[],
        timeZone,
      };
      return {
        paidHours: calendar.paidHours,
        paymentDue: paymentDue(calendar, at),
        paymentDueChangesAt: nextPaymentChange(calendar, at),
      };
    });
}

const sourceOf = ({ municipalityId: _, openSessionMaxHours: __, ...row }: SourceRow): SnapshotSource => ({
  ...row,
  active: row.active === 1,
  isSystem: row.isSystem === 1,
  lastSuccessfulAt: nullableInstant(row.lastSuccessfulAt),
});

function* staysOf({ sources, sessions }: MunicipalityRows): Generator<Stay> {
  const byCode = new Map(sources.map((source) => [source.code, source]));
  for (const session of sessions) {
    const source = byCode.get(session.sourceCode);
    if (source === undefined) {
      throw new Error('a session belongs to a source that its municipality does not have');
    }
    yield stayOf(session, source);
  }
}

function stayOf(session: SessionRow, source: SourceRow): Stay {
  const { from, until } = validTime({
    startsAt: instant(session.startsAt),
    endsAt: nullableInstant(session.endsAt),
    cancelledAt: nullableInstant(session.cancelledAt),
    openSessionMaxHours: source.openSessionMaxHours,
  });
  return { vehicle: session.plate, areaId: session.areaId, sourceId: source.id, from, until };
}
