import * as z from 'zod';
import { paidPeriod } from '../../core/recorded-payments/contract.ts';
import { line, storedCode } from '../../serving/administration/fields.ts';
import { code } from '../../serving/http/response-fields.ts';
import { NAME_LENGTH } from '../../storage/db/schema/columns.ts';
import { MAX_PERIODS, subscriptionRecord } from '../history/contract.ts';

export const subscriptionExportRequest = z
  .strictObject({
    municipality_code: storedCode().describe('The municipality.'),
    subscription_number: line(NAME_LENGTH).describe('The subscription’s number, exactly as imported.'),
  })
  .meta({ id: 'SubscriptionExportRequest', description: 'Names a subscription.' });

export const subscriptionExportAnswer = z
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
