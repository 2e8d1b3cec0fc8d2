import { Refusal } from '../../base/errors/refusal.ts';
import { OPTIONS_BODY } from '../../serving/http/body.ts';
import { operation } from '../../serving/pipeline/operation.ts';
import { optionsRequest, optionsResponse } from './contract.ts';
import { findOptions, optionsReading } from './options.ts';
import { presentOptions } from './present.ts';

/** A customer waits at the meter: after this, a clear failure is better than an answer. */
const ANSWER_WITHIN_MS = 2_000;
/** The time for the answer itself; the rest is for writing the call log. */
const DECIDE_WITHIN_MS = 1_500;

/** The subscription options query 2.1: what a parking meter can sell for a plate. */
export const subscriptionOptions = operation({
  id: 'findSubscriptionOptions',
  method: 'POST',
  path: '/api/v2/parking-meters/subscription-options',
  access: {
    by: 'credential',
    scope: 'subscription_options',
    budget: 'options',
    tokenHeaders: 'authorization_only',
    // A meter that gets a 500 asks again, and no car waits behind a barrier meanwhile.
    whenObjectIsAway: 'fail',
  },
  deadlineMs: DECIDE_WITHIN_MS,
  body: { kind: 'json', schema: optionsRequest, maxBytes: OPTIONS_BODY },
  reads: optionsReading,
  answer: optionsResponse,
  errors: ['SERVICE_DISABLED', 'INVALID_PLATE'],
  log: { operation: 'subscription_options', whole: { answerWithinMs: ANSWER_WITHIN_MS } },
  handle: async ({ body }, context) => {
    const found = await findOptions(context);
    if (found === null) {
      return { refused: new Refusal('SERVICE_DISABLED') };
    }
    return {
      answer: presentOptions(found, body.terminal_code, context.language),
      outcome: found.verdict.resultCode,
    };
  },
});
