import * as z from 'zod';
import { withSubject } from '../../base/errors/call-subject.ts';
import { Refusal } from '../../base/errors/refusal.ts';
import { paidPeriod } from '../../core/recorded-payments/contract.ts';
import { line, storedCode, UNKNOWN_MUNICIPALITY } from '../../serving/administration/fields.ts';
import { QUERY_BODY } from '../../serving/http/body.ts';
import { code } from '../../serving/http/response-fields.ts';
import { operation } from '../../serving/pipeline/operation.ts';
import { NAME_LENGTH } from '../../storage/db/schema/columns.ts';
import { sharedPart } from '../../storage/history/subscription-changes.ts';
import { clockOf, MAX_PERIODS, presentSubscription, subscriptionRecord } from '../history/history.ts';
import { readSubscription, type SubscriptionRow } from './subscription-table.ts';

const subscriptionExportRequest = z
  .strictObject({
    municipality_code: storedCode().describe('The municipality.'),
    subscription_number: line(NAME_LENGTH).describe('The subscription’s number, exactly as imported.'),
  })
  .meta({ id: 'SubscriptionExportRequest', description: 'Names a subscription.' });

const subscriptionExportAnswer = z
  .object({
    municipality_code: code.describe('The municipality.'),
    subscription: subscriptionRecord
      .required()
      .extend({
        plates: subscriptionRecord.shape.plates.describe(
          'All its plates, each with the time that it is on the subscription.',
        ),
      })
      .meta({
        id: 'StoredSubscription',
        description: 'A subscription in the form of an import’s line, with all its plates.',
      })
      .describe('The subscription.'),
    paid_periods: z
      .array(paidPeriod)
      .max(MAX_PERIODS)
      .describe(
        'The `periods` that payments made, by start. An import’s line that leaves them out does not remove them.',
      ),
  })
  .meta({ id: 'SubscriptionExportResponse', description: 'A stored subscription.' });

type Span = readonly [plate: string, validFrom: number | null, validUntil: number | null];

type Period = readonly [startsAt: number, endsAt: number];

/** The periods that payments made. */
function presentPaid({ paid }: SubscriptionRow, timeZone: string) {
  const periods = JSON.parse(paid) as readonly Period[];
  const { shown } = clockOf(timeZone);
  return periods.map(([startsAt, endsAt]) => ({ starts_at: shown(startsAt), ends_at: shown(endsAt) }));
}

/** A stored subscription in the form of an import's line, with all its plates. */
function presentStored(number: string, { record, spans }: SubscriptionRow, timeZone: string) {
  // The shape that the statement selects.
  const all = JSON.parse(spans) as readonly Span[];
  const { shownOrNull } = clockOf(timeZone);
  return {
    ...presentSubscription({ ...sharedPart({ number, record }), plates: [] }, '', timeZone),
    plates: all.map(([plate, from, until]) => ({
      plate,
      valid_from: shownOrNull(from),
      valid_until: shownOrNull(until),
    })),
  };
}

/** Exports a subscription by its number. A POST, since the number may contain a plate, which must not be in an address. */
export const exportOfSubscription = operation({
  id: 'exportSubscription',
  method: 'POST',
  path: '/api/v2/admin/subscriptions/export',
  access: { by: 'administrator', office: 'reads' },
  deadlineMs: 5_000,
  body: { kind: 'json', schema: subscriptionExportRequest, maxBytes: QUERY_BODY },
  answer: subscriptionExportAnswer,
  errors: ['MUNICIPALITY_NOT_ALLOWED', 'NOT_FOUND'],
  log: { operation: 'admin', action: 'subscription.export' },
  handle: async ({ body }, { env, deadline, bounds }) => {
    const { municipality_code: code, subscription_number: number } = body;
    await bounds.requireMunicipalities([code]);
    return withSubject({ municipality: code, target: code }, async () => {
      const found = await deadline.race(readSubscription(env.DB, code, number));
      if (found === null || found.is_found === 0) {
        const message = found === null ? UNKNOWN_MUNICIPALITY : NO_SUBSCRIPTION;
        return { refused: new Refusal('NOT_FOUND', { message }) };
      }
      const subscription = presentStored(number, found, found.timezone);
      return {
        answer: {
          municipality_code: code,
          subscription,
          paid_periods: presentPaid(found, found.timezone),
        },
        municipality: code,
        target: code,
      };
    });
  },
});

const NO_SUBSCRIPTION = {
  en: 'The municipality has no subscription with this number.',
  it: 'Il comune non ha un abbonamento con questo numero.',
};
