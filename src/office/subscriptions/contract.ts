import * as z from 'zod';
import { paidPeriod } from '../../core/recorded-payments/contract.ts';
import { line, storedCode } from '../../serving/administration/fields.ts';
import { code } from '../../serving/http/response-fields.ts';
import { NAME_LENGTH } from '../../storage/db/schema/columns.ts';
import { MAX_PERIODS, subscriptionRecord } from '../history/contract.ts';

export const subscriptionExportRequest = z
  .strictObject({
    municipality_code: storedCode().describe('The municipality.'),
    subscription_number: line(NAME_LENGTH).describe('The number, as the import had it.'),
  })
  .meta({ id: 'SubscriptionExportRequest', description: 'Which subscription.' });

export const subscriptionExportAnswer = z
  .object({
    municipality_code: code.describe('The municipality.'),
    subscription: subscriptionRecord
      .required()
      .extend({
        plates: subscriptionRecord.shape.plates.describe('All its plates, and when they are on it.'),
      })
      .meta({
        id: 'StoredSubscription',
        description: 'A subscription as an import’s line has it, with all its plates.',
      })
      .describe('The subscription.'),
    paid_periods: z
      .array(paidPeriod)
      .max(MAX_PERIODS)
      .describe(
        'Those of its `periods` that payments made, in the order of their starts. They stay when a line of an import leaves them out.',
      ),
  })
  .meta({ id: 'SubscriptionExportResponse', description: 'A stored subscription.' });
