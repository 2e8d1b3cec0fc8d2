import { vi } from 'vitest';
import { Random } from '../domain/random.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { EvictableCalls } from '../support/evictable.ts';
import { type Answer, Service } from '../support/service.ts';
import { mostWithin, type Pass } from './passes.ts';

/** Of the shared ones, each in turn: small ones that are always used up, and ones that only many bursts use up. */
const POLICIES = [
  { limit: 1, windowSeconds: 1 },
  { limit: 3, windowSeconds: 2 },
  { limit: 10, windowSeconds: 1 },
  { limit: 20, windowSeconds: 3 },
  { limit: 50, windowSeconds: 5 },
  { limit: 100, windowSeconds: 5 },
];
/** Of the lone callers: soon used up, and the wait is longer than the shortest that an answer can state. */
const POLICIES_ALONE = [
  { limit: 1, windowSeconds: 2 },
  { limit: 2, windowSeconds: 3 },
];
const LONGEST_MS_BETWEEN_EVICTIONS = 1_000;

/** What of the `calls` budget is spent by. The last is refused for its content type, after the budget. */
const CALLS = [
  { path: '/api/v2/parking-entitlements/search', body: { plate: 'AB123CD' } },
  { path: '/api/v1/parking/check-plate', body: { plate: 'AB123CD' } },
  { path: '/api/v2/parking/check-plate', body: 'no JSON' },
] as const;

/** What became of a credential's calls. */
export interface BudgetReport {
  readonly limit: number;
  readonly windowSeconds: number;
  passed: number;
  refused: number;
  /** The most calls in one window. */
  mostInAWindow: number;
  /** The same, of one isolate's calls that were admitted from the database since the object did not answer in time. */
  mostFromDatabase: number;
  /** Refusals after which a lone caller waited as long as the answer said. */
  waits: number;
  /** Refusals of a lone caller that had waited as long as the answer said. */
  refusedAgain: number;
  /** Of the credential's object. */
  evictions: number;
  /** Statuses that no such call may have. */
  readonly strange: number[];
}

class Ledger {
  readonly credential: TestCredential;
  readonly calls: EvictableCalls;
  readonly report: BudgetReport;
  readonly #passes: Pass[] = [];
  readonly #fromDatabase: readonly Pass[][];

  constructor(credential: TestCredential, limit: number, windowSeconds: number, isolates: number) {
    this.credential = credential;
    this.calls = new EvictableCalls(credential.credentialId);
    this.#fromDatabase = Array.from({ length: isolates }, () => []);
    this.report = {
      limit,
      windowSeconds,
      passed: 0,
      refused: 0,
      mostInAWindow: 0,
      mostFromDatabase: 0,
      waits: 0,
      refusedAgain: 0,
      evictions: 0,
      strange: [],
    };
  }

  note(status: number, pass: Pass, isolate: number, fromDatabase: boolean): void {
    if (status === 429) {
      this.report.refused += 1;
    } else if (status === 200 || status === 415) {
      this.report.passed += 1;
      (fromDatabase ? this.#fromDatabase[isolate] : this.#passes)?.push(pass);
    } else {
      this.report.strange.push(status);
    }
  }

  closed(): BudgetReport {
    const windowMs = this.report.windowSeconds * 1000;
    this.report.mostInAWindow = mostWithin(this.#passes, windowMs);
    this.report.mostFromDatabase = Math.max(...this.#fromDatabase.map((some) => mostWithin(some, windowMs)));
    this.report.evictions = this.calls.evictions;
    return this.report;
  }
}

/** What of a report breaks a promise. */
export function brokenPromises(reports: readonly BudgetReport[]): string[] {
  return reports.flatMap((report) => {
    const of = `of ${report.limit} in ${report.windowSeconds} s`;
    return [
      ...(report.mostInAWindow > report.limit ? [`${report.mostInAWindow} passed ${of}`] : []),
      ...(report.mostFromDatabase > report.limit
        ? [`${report.mostFromDatabase} passed from the database ${of}`]
        : []),
      ...(report.refusedAgain > 0 ? [`${report.refusedAgain} that had waited were refused again ${of}`] : []),
      ...(report.strange.length > 0 ? [`answers ${[...new Set(report.strange)]} ${of}`] : []),
    ];
  });
}

/** Where nothing is refused, nothing is held: so many credentials at least have to be used up. */
export const MIN_USED_UP = 3;

export interface Soak {
  readonly seed: number;
  readonly forMs: number;
  /** Of them two are alone on their credentials. */
  readonly callers: number;
}

/**
 * Eight credentials under bursts of calls from two isolates, their objects evicted in between, for a while. The city
 * has to be there.
 */
export async function soakBudgets({ seed, forMs, callers }: Soak): Promise<readonly BudgetReport[]> {
  const random = new Random(seed);
  const isolates = [new Service(), new Service()];
  const fromDatabase = requestsAdmittedFromDatabase();
  const until = Date.now() + forMs;
  const isOver = () => Date.now() >= until;
  const pause = (milliseconds: number) =>
    scheduler.wait(Math.max(0, Math.min(milliseconds, until - Date.now())));

  /** A timer may go off a little early. */
  const reached = async (instant: number): Promise<void> => {
    while (Date.now() < instant && !isOver()) await pause(instant - Date.now());
  };

  const ledgers: Ledger[] = [];
  for (const { limit, windowSeconds } of [...POLICIES, ...POLICIES_ALONE]) {
    const credential = await issueCredential({ rateLimit: limit, rateWindowSeconds: windowSeconds });
    ledgers.push(new Ledger(credential, limit, windowSeconds, isolates.length));
  }

  const call = (ledger: Ledger): Promise<Answer> => ledger.calls.call(() => callNow(ledger));

  async function callNow(ledger: Ledger): Promise<Answer> {
    const isolate = random.below(isolates.length);
    const { path, body } = random.pick(CALLS);
    const startedAt = Date.now();
    const answer = await (isolates[isolate] as Service).post(path, body, ledger.credential.headers);
    const answeredAt = Date.now();
    const requestId = answer.headers.get('X-Request-Id') ?? '';
    ledger.note(answer.status, { startedAt, answeredAt }, isolate, fromDatabase.ids.has(requestId));
    return answer;
  }

  /** Bursts, side by side or one by one, with pauses of up to two windows between them. */
  async function oneOfMany(ledger: Ledger): Promise<void> {
    while (!isOver()) {
      await pause(random.below(ledger.report.windowSeconds * 2000));
      const calls = 1 + random.below(8);
      if (random.oneIn(2)) {
        await Promise.all(random.list(calls, () => call(ledger)));
      } else {
        for (let left = calls; left > 0 && !isOver(); left--) await call(ledger);
      }
    }
  }

  /** Calls until it is refused, and waits as long as the answer says. */
  async function alone(ledger: Ledger): Promise<void> {
    let hasWaited = false;
    while (!isOver()) {
      const { status, headers } = await call(ledger);
      if (status === 429) {
        ledger.report.waits += 1;
        if (hasWaited) ledger.report.refusedAgain += 1;
        await reached(Date.now() + Number(headers.get('Retry-After')) * 1000);
      }
      hasWaited = status === 429;
      if (random.oneIn(10)) await pause(random.below(200));
    }
  }

  async function evictAgainAndAgain({ calls }: Ledger): Promise<void> {
    while (!isOver()) {
      await pause(random.below(LONGEST_MS_BETWEEN_EVICTIONS));
      await calls.evict();
    }
  }

  const shared = ledgers.slice(0, POLICIES.length);
  await Promise.all([
    ...random.list(callers - POLICIES_ALONE.length, (index) =>
      oneOfMany(shared[index % shared.length] as Ledger),
    ),
    ...ledgers.slice(POLICIES.length).map(alone),
    ...ledgers.map(evictAgainAndAgain),
  ]);
  fromDatabase.stop();
  return ledgers.map((ledger) => ledger.closed());
}

/** The ids of the requests of which the structured log says so. */
function requestsAdmittedFromDatabase(): { readonly ids: ReadonlySet<string>; stop(): void } {
  const ids = new Set<string>();
  const log = vi.spyOn(console, 'warn').mockImplementation((line) => {
    const { event, request_id } = JSON.parse(String(line));
    if (event === 'admitted_from_database') ids.add(request_id);
  });
  return { ids, stop: () => log.mockRestore() };
}
