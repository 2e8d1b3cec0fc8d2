import * as z from 'zod';
import type { Instant } from '../../domain/instant.ts';
import { PAYMENT_RESULTS } from '../../domain/payment.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import { code, dateTime, name, openCode, plate } from '../../serving/http/response-fields.ts';
import { APPROVALS } from '../../storage/db/schema/subscriptions.ts';
import type { JudgedRow } from '../../storage/db/titles.ts';
import type { PaymentVersion, PlateVersion, SessionVersion, SubscriptionVersion } from './versions.ts';

const revision = z.int().min(0).nullable();

/** A session in the form of an import's line. */
export const sessionRecord = z
  .object({
    session_id: name.describe('Unique in its source.'),
    plate,
    area_code: code.describe('Where it was bought.'),
    starts_at: dateTime.describe('Its start.'),
    ends_at: dateTime.nullable().describe('Its end. Null while a start-and-stop session is running.'),
    cancelled_at: dateTime.nullable().describe('From when it is cancelled. Null: it is not.'),
    revision: revision.describe('The source’s revision, if it sends any.'),
  })
  .meta({ id: 'RecordedSession', description: 'A session in the form of an import’s line.' });

/** As many plates, areas or periods as a line of an import may have. */
const MAX_OF_LINE = 500;

const plateSpan = z.object({
  plate,
  valid_from: dateTime.nullable().describe('From when it is on the subscription. Null: unbounded.'),
  valid_until: dateTime.nullable().describe('Until when. Null: unbounded.'),
});
const period = z.object({
  starts_at: dateTime.describe('Its start.'),
  ends_at: dateTime.describe('Its end.'),
});

/** A subscription in the form of an import's line. */
export const subscriptionRecord = z
  .object({
    subscription_number: name.describe('Unique in the municipality.'),
    revision: revision.describe('The office’s revision, if it sends any.'),
    type: code.describe('The code of its type.'),
    plates: z
      .array(plateSpan)
      .max(MAX_OF_LINE)
      .describe('When the plate is on it. Of a history, the plate that was asked for alone.'),
    approval: z.enum(APPROVALS).describe('The office’s decision.'),
    authorized_from: dateTime.nullable().describe('From when it is authorized. Null: unbounded.'),
    authorized_until: dateTime.nullable().describe('Until when. Null: unbounded.'),
    areas: z
      .union([z.literal('all'), z.array(code).max(MAX_OF_LINE)])
      .describe('`all`, or the codes of its areas.'),
    suspended_from: dateTime.nullable().describe('From when it is suspended. Null: it is not.'),
    suspended_until: dateTime.nullable().describe('Until when. Null: for good.'),
    revoked_at: dateTime.nullable().describe('From when it is revoked. Null: it is not.'),
    periods: z
      .array(period)
      .max(MAX_OF_LINE)
      .describe('Its imported periods. Those that were paid are payments.'),
  })
  .meta({ id: 'RecordedSubscription', description: 'A subscription in the form of an import’s line.' });

/** A payment of a history. */
const paymentRecord = z
  .object({
    payment_id: name.describe('The collector’s key.'),
    plate,
    terminal_code: z.string().max(64).nullable().describe('The terminal. Null: none was sent.'),
    codice_tariffa: z.string().length(3).describe('The code of the plan.'),
    importo_eurocent: z.int().min(1).max(999_999).describe('The amount collected, in euro cents.'),
    collected_at: dateTime.describe('When the money was collected.'),
    result_code: openCode(PAYMENT_RESULTS).describe('What became of it.'),
    subscription_number: name.nullable().describe('The subscription, if exactly one was meant.'),
    period: period.nullable().describe('The period that it made, as it was before a reversal. Null: none.'),
    reversed_at: dateTime
      .nullable()
      .describe('The `reversed_at` of its reversal. Null: it was not reversed.'),
  })
  .meta({ id: 'RecordedPayment', description: 'A payment for the plate.' });

/** The fields of a version in every list. */
export const versionFields = {
  recorded_at: dateTime.describe('When the service stored the version.'),
  replaced_at: dateTime
    .nullable()
    .describe('When it was replaced, left or reversed. Null: it is the present one.'),
  request_id: z.uuid().nullable().describe('The call that stored it. Null: it is not known any more.'),
  kind: z.enum(['parking_session', 'subscription', 'payment']).describe('What it is a version of.'),
  source_code: code.nullable().describe('The session’s source. Null for the other kinds.'),
  key: name.describe('The session’s id, the subscription’s number, or the payment’s id.'),
  record: z
    .union([sessionRecord, subscriptionRecord, paymentRecord])
    .describe('What it says: a session or a subscription in the form of an import’s line.'),
};

/** A version in every list, instants in a time zone. */
export function presentVersion(version: PlateVersion, clock: Clock) {
  const { shown, shownOrNull } = clock;
  return {
    recorded_at: shown(version.recordedAt),
    replaced_at: shownOrNull(version.replacedAt),
    request_id: version.requestId,
    kind: version.kind,
    source_code: version.kind === 'parking_session' ? version.sourceCode : null,
    key: version.key,
    record: presentRecord(version, clock),
  };
}

function presentRecord(version: PlateVersion, clock: Clock) {
  switch (version.kind) {
    case 'parking_session':
      return presentSession(version, clock);
    case 'subscription':
      return presentSubscription(version, clock);
    case 'payment':
      return presentPayment(version, clock);
    default:
      return version satisfies never;
  }
}

/** A session as an import's line has it. */
export const presentSession = (
  session: SessionVersion,
  { shown, shownOrNull }: Clock,
): z.infer<typeof sessionRecord> => ({
  session_id: session.sessionId,
  plate: session.plate,
  area_code: session.areaCode,
  starts_at: shown(session.startsAt),
  ends_at: shownOrNull(session.endsAt),
  cancelled_at: shownOrNull(session.cancelledAt),
  revision: session.revision,
});

type Subscription = JudgedRow &
  Pick<SubscriptionVersion, 'subscriptionNumber' | 'revision' | 'type'> & {
    readonly spans: readonly Pick<
      SubscriptionVersion['spans'][number],
      'plate' | 'validFrom' | 'validUntil'
    >[];
  };

/** A subscription as an import's line has it, with the plates of its `spans`. */
export const presentSubscription = (
  title: Subscription,
  { shown, shownOrNull }: Clock,
): z.infer<typeof subscriptionRecord> => ({
  subscription_number: title.subscriptionNumber,
  revision: title.revision,
  type: title.type,
  plates: title.spans.map(({ plate, validFrom, validUntil }) => ({
    plate,
    valid_from: shownOrNull(validFrom),
    valid_until: shownOrNull(validUntil),
  })),
  approval: title.approval,
  authorized_from: shownOrNull(title.authorizedFrom),
  authorized_until: shownOrNull(title.authorizedUntil),
  areas: title.limitedTo === null ? 'all' : [...title.limitedTo],
  suspended_from: shownOrNull(title.suspendedFrom),
  suspended_until: shownOrNull(title.suspendedUntil),
  revoked_at: shownOrNull(title.revokedAt),
  periods: title.periods.map(([startsAt, endsAt]) => ({
    starts_at: shown(startsAt),
    ends_at: shown(endsAt),
  })),
});

function presentPayment(
  payment: PaymentVersion,
  { shown, shownOrNull }: Clock,
): z.infer<typeof paymentRecord> {
  const { startsAt, endsAt } = payment;
  return {
    payment_id: payment.paymentId,
    plate: payment.plate,
    terminal_code: payment.terminalCode,
    codice_tariffa: payment.planCode,
    importo_eurocent: payment.amountCents,
    collected_at: shown(payment.collectedAt),
    result_code: payment.resultCode,
    subscription_number: payment.subscriptionNumber,
    period:
      startsAt === null || endsAt === null ? null : { starts_at: shown(startsAt), ends_at: shown(endsAt) },
    reversed_at: shownOrNull(payment.reversedAt),
  };
}

/** Shows instants in a time zone. */
export function clockOf(timeZone: string) {
  const shown = (at: Instant): string => formatInstant(at, timeZone);
  return { shown, shownOrNull: (at: Instant | null) => (at === null ? null : shown(at)) };
}

export type Clock = ReturnType<typeof clockOf>;
