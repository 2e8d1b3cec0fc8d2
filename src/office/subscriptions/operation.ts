import { withSubject } from '../../base/errors/call-subject.ts';
import { Refusal } from '../../base/errors/refusal.ts';
import { UNKNOWN_MUNICIPALITY } from '../../serving/administration/unknown.ts';
import { QUERY_BODY } from '../../serving/http/body.ts';
import { operation } from '../../serving/pipeline/operation.ts';
import { subscriptionExportAnswer, subscriptionExportRequest } from './contract.ts';
import { presentPaid, presentStored } from './present.ts';
import { readSubscription } from './subscription-table.ts';

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
      const found = await deadline.race(readSubscription(env, code, number));
      const [row] = found?.rows ?? [];
      if (found === null || row === undefined) {
        const message = found === null ? UNKNOWN_MUNICIPALITY : NO_SUBSCRIPTION;
        return { refused: new Refusal('NOT_FOUND', { message }) };
      }
      const subscription = presentStored(number, row, found.timezone);
      return {
        answer: {
          municipality_code: code,
          subscription,
          paid_periods: presentPaid(row, found.timezone),
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
