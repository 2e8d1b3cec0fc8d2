import { ONCE_MORE, retried } from '../db/retried.ts';
import type { Instant } from '../domain/instant.ts';
import type { Env } from '../env.ts';
import { type Deadline, TooLate, within } from '../http/deadline.ts';
import { messageOf } from '../http/message-of.ts';
import { Refusal } from '../http/refusal.ts';
import {
  type Admission,
  type AdmissionAnswer,
  type Admitted,
  type BudgetName,
  decideAdmission,
} from './admission.ts';
import { askObject, installInObject, REACHED_WITHIN_MS } from './credential-objects.ts';
import type { AdmissionCall, Credential } from './credential-record.ts';
import { readCredentialRecord } from './credentials-table.ts';
import type { IsolateMemory } from './isolate-memory.ts';
import { rateLimitHeaders } from './rate-limit-headers.ts';

export interface GatekeeperCall extends AdmissionCall {
  readonly budget: BudgetName;
  /** Whether the call goes on from the database when the object cannot be reached: a gate must not stop. */
  readonly fallsBack: boolean;
  readonly now: Instant;
  readonly deadline: Deadline;
  readonly requestId: string;
  /** Told the credential as soon as its secret has proven right, also when it is refused. */
  readonly onRecognised: (credential: Credential) => void;
}

/** Starts a call's admission; does not wait for it. */
export function admission(env: Env, memory: IsolateMemory, call: GatekeeperCall): Admission {
  const key = `${call.token.hash} ${call.scope} ${call.address}`;
  const presumed = memory.presumed(key, call.now);
  if (presumed !== null) {
    call.onRecognised(presumed);
  }
  const settled = settle(env, memory, call, presumed).then(
    (admitted) => {
      memory.rememberAdmitted(key, admitted.credential, call.now);
      return admitted;
    },
    (error: unknown) => {
      memory.forgetAdmitted(key);
      throw error;
    },
  );
  // Whoever waits for it hears of its failure; a call that failed earlier for another reason does not.
  settled.catch(() => {});
  return { presumed, settled };
}

async function settle(
  env: Env,
  memory: IsolateMemory,
  call: GatekeeperCall,
  presumed: Credential | null,
): Promise<Admitted> {
  const answer = await call.deadline.race(answerOf(env, memory, call, presumed));
  switch (answer.outcome) {
    case 'admitted':
      call.onRecognised(answer.credential);
      return answer;
    case 'admitted_as_known':
      return { credential: known(presumed), rate: answer.rate };
    case 'limited':
      throw new Refusal('RATE_LIMIT_EXCEEDED', {
        headers: {
          'Retry-After': String(answer.rate.resetSeconds),
          ...rateLimitHeaders(call.budget, answer.rate),
        },
      });
    case 'refused':
      if (answer.credential !== null) {
        call.onRecognised(answer.credential);
      }
      throw new Refusal(answer.code);
    case 'unknown':
      throw new Refusal('TOKEN_INVALID');
    default:
      return answer satisfies never;
  }
}

async function answerOf(
  env: Env,
  memory: IsolateMemory,
  call: GatekeeperCall,
  presumed: Credential | null,
): Promise<AdmissionAnswer> {
  const { token, scope, address, budget } = call;
  const asked = { token, scope, address };
  try {
    const answer = await askObject(env, asked, budget, presumed?.version ?? null);
    return answer.outcome === 'unknown' ? await adopt(env, asked, budget) : answer;
  } catch (error) {
    if (!call.fallsBack || (env.DATABASE_FALLBACK ?? 'on') !== 'on') {
      throw error;
    }
    logFallback(call, error);
    return admitFromDatabase(env, memory, asked, call.now);
  }
}

/** An object that has lost its credential, or never got it, takes it from the primary database. */
async function adopt(env: Env, call: AdmissionCall, budget: BudgetName): Promise<AdmissionAnswer> {
  const record = await readCredentialRecord(env.DB, call.token.credentialId);
  if (record === null) {
    return { outcome: 'unknown' };
  }
  await within(REACHED_WITHIN_MS, installInObject(env, record));
  return askObject(env, call, budget, null);
}

/** The same rule on the primary's own row, with a budget of this isolate alone. */
async function admitFromDatabase(
  env: Env,
  memory: IsolateMemory,
  call: AdmissionCall,
  now: Instant,
): Promise<AdmissionAnswer> {
  const { credentialId } = call.token;
  const record = await retried(() => readCredentialRecord(env.DB, credentialId), ONCE_MORE);
  if (record === null) {
    return { outcome: 'unknown' };
  }
  const { answer, budget } = decideAdmission(record, call, memory.fallbackBudget(credentialId), now);
  if (answer.outcome === 'admitted') {
    memory.keepFallbackBudget(credentialId, budget, now);
  }
  return answer;
}

function logFallback(call: GatekeeperCall, error: unknown): void {
  const reason = error instanceof TooLate ? 'timeout' : 'error';
  const message = messageOf(error);
  console.warn(
    JSON.stringify({
      event: 'admitted_from_database',
      request_id: call.requestId,
      credential_id: call.token.credentialId,
      reason,
      message,
    }),
  );
}

function known(presumed: Credential | null): Credential {
  if (presumed === null) {
    throw new Error('the object answered for a version that was not named');
  }
  return presumed;
}
