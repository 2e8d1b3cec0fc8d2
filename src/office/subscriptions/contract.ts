import * as z from 'zod';
import { line } from '../../base/forms/fields.ts';
import { paidPeriod } from '../../core/recorded-payments/contract.ts';
import { storedCode } from '../../serving/administration/fields.ts';
import type { Contract } from '../../serving/contract.ts';
import { QUERY_BODY } from '../../serving/http/body.ts';
import { code } from '../../serving/http/response-fields.ts';
import { NAME_LENGTH } from '../../storage/db/schema/columns.ts';
import { subscriptionRecord } from '../history/history.ts';

const subscriptionExportRequest = z
  .strictObject({
    municipality_code: storedCode().describe('The municipality.'),
    subscription_number: line(NAME_LENGTH).describe('The subscription’s number, exactly as imported.'),
  })
  .meta({ id: 'SubscriptionExportRequest', description: 'Names a subscription.' });

const subscriptionExportAnswer = z
  .object({
    municipality_code: code.describe('The municipality.'),
    subscription: subscriptionRecord.describe('The subscription, with all its plates.'),
    paid_periods: z
      .array(paidPeriod)
      .describe('The periods that payments made, by start; of a reversed one what is left.'),
  })
  .meta({ id: 'SubscriptionExportResponse', description: 'A stored subscription.' });

/** Exports a subscription by its number. A POST, since the number may contain a plate, which must not be in an address. */
export const exportOfSubscription = {
  id: 'exportSubscription',
  method: 'POST',
  path: '/api/v2/admin/subscriptions/export',
  access: { by: 'administrator', office: 'reads' },
  deadlineMs: 5_000,
  body: { kind: 'json', schema: subscriptionExportRequest, maxBytes: QUERY_BODY },
  answer: subscriptionExportAnswer,
  errors: ['MUNICIPALITY_NOT_ALLOWED', 'NOT_FOUND'],
  log: { operation: 'admin', action: 'subscription.export' },
} as const satisfies Contract;
