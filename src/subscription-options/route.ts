import { Hono } from 'hono';
import { whenAdmitted } from '../access/admission.ts';
import { type AccessPolicy, authenticate } from '../access/authenticate.ts';
import type { IsolateMemory } from '../access/isolate-memory.ts';
import { jsonBody } from '../http/body.ts';
import type { AppContext, AppEnv } from '../http/context.ts';
import { answer } from '../http/envelope.ts';
import { methodNotAllowed, operation } from '../http/operation.ts';
import { loggedWhole } from '../http/transcript.ts';
import { validated } from '../http/validation.ts';
import { type FoundOptions, findOptions } from './options.ts';
import { presentOptions } from './present.ts';
import { type OptionsRequest, optionsRequest } from './request.ts';

/** Somebody stands before the meter: past this, a failure that says so is better than an answer. */
const ANSWER_WITHIN_MS = 2_000;
/** The part of it in which the answer is made: the rest is for its way into the call log. */
const DECIDE_WITHIN_MS = 1_500;

const ACCESS: AccessPolicy = {
  scope: 'subscription_options',
  budget: 'options',
  tokenHeaders: 'authorization_only',
  // A meter that gets a 500 asks again; nobody is kept behind a barrier meanwhile.
  fallsBack: false,
};

/** The subscription options query: what a parking meter can sell for a plate. */
export function subscriptionOptionsRoutes(memory: IsolateMemory): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  routes
    .post(
      '/api/v2/parking-meters/subscription-options',
      operation('subscription_options', DECIDE_WITHIN_MS),
      loggedWhole(ANSWER_WITHIN_MS),
      authenticate(memory, ACCESS),
      jsonBody(),
      validated('json', optionsRequest),
      async (c) => {
        const request = c.req.valid('json');
        const found = await find(c, request);
        return answer(c, presentOptions(found, request.terminal_code, c.var.language));
      },
    )
    .all(methodNotAllowed('POST'));
  return routes;
}

async function find(c: AppContext, request: OptionsRequest): Promise<FoundOptions> {
  const { env, var: vars } = c;
  const { now, deadline, requestId } = vars;
  const found = await whenAdmitted(vars.admission, (credential) => {
    vars.call.municipalityCode = null;
    return findOptions(request, {
      env,
      now,
      deadline,
      credential,
      requestId,
      onMunicipality: (code) => {
        vars.call.municipalityCode = code;
      },
    });
  });
  vars.call.outcome = found.verdict.resultCode;
  return found;
}
