import { sql } from 'drizzle-orm';
import type { SelectResultFields } from 'drizzle-orm/query-builders/select.types';
import type { Instant } from '../../domain/instant.ts';
import { type PeriodPayment, paidPeriods } from '../../domain/paid-period.ts';
import type { Plate } from '../../domain/plate.ts';
import type { Subscription } from '../../domain/subscription.ts';
import { type pastSubscriptions, payments, subscriptionPlates, subscriptions } from './schema/index.ts';

/** The columns of a title that the rules judge: of the present, or of a version. */
export const judgedColumns = <Table extends typeof subscriptions | typeof pastSubscriptions>(
  title: Table,
) => ({
  approval: title.approval,
  authorizedFrom: title.authorizedFrom,
  authorizedUntil: title.authorizedUntil,
  limitedTo: title.areas,
  suspendedFrom: title.suspendedFrom,
  suspendedUntil: title.suspendedUntil,
  revokedAt: title.revokedAt,
  periods: title.periods,
});

/** A payment that made a period of a title. */
interface TitlePayment extends PeriodPayment {
  readonly planCode: string;
  readonly collectedAt: Instant;
}

/** The payments that made a period of a title, in its row: a statement of their own would cost a check more than they do. */
export const paidColumn = () =>
  sql`(
    select json_group_array(json_object('planCode', ${payments.planCode}, 'collectedAt', ${payments.collectedAt},
      'startsAt', ${payments.startsAt}, 'endsAt', ${payments.endsAt}, 'reversalRecordedAt', ${payments.reversalRecordedAt}))
    from ${payments} where ${payments.subscriptionId} = ${subscriptions.id} and ${payments.startsAt} is not null)`
    .mapWith((json: string): readonly TitlePayment[] => JSON.parse(json))
    .as('paid');

/** The columns of a plate's span on a title, and of the title. */
export const spanColumns = () => ({
  plate: subscriptionPlates.plate,
  validFrom: subscriptionPlates.validFrom,
  validUntil: subscriptionPlates.validUntil,
  id: subscriptions.id,
  subscriptionNumber: subscriptions.subscriptionNumber,
  ...judgedColumns(subscriptions),
  paid: paidColumn(),
});

/** The titles in rows of a plate's spans: each is its first row, with all of its own. */
export const titlesIn = <Row extends { readonly id: number }>(rows: readonly Row[]) =>
  [...Map.groupBy(rows, ({ id }) => id).values()].flatMap((spans) =>
    spans.slice(0, 1).map((title) => ({ title, spans })),
  );

/** The judged columns of a row. */
export type JudgedRow = SelectResultFields<ReturnType<typeof judgedColumns<typeof subscriptions>>>;

/** A title as a plate holds it, by its spans: imported and paid periods together. */
export const subscriptionOf = (
  title: JudgedRow & {
    readonly subscriptionNumber: string;
    readonly plate: Plate;
    readonly paid: readonly PeriodPayment[];
  },
  spans: readonly { readonly validFrom: Instant | null; readonly validUntil: Instant | null }[],
): Subscription => ({
  subscriptionNumber: title.subscriptionNumber,
  plate: title.plate,
  plateValidity: spans.map(({ validFrom, validUntil }) => ({ from: validFrom, until: validUntil })),
  approval: title.approval,
  authorized: { from: title.authorizedFrom, until: title.authorizedUntil },
  suspended: title.suspendedFrom === null ? null : { from: title.suspendedFrom, until: title.suspendedUntil },
  revokedAt: title.revokedAt,
  periods: [...title.periods.map(([startsAt, endsAt]) => ({ startsAt, endsAt })), ...paidPeriods(title.paid)],
  areas: title.limitedTo ?? 'all',
});
