import { builtService, kibOf } from './bundle.ts';
import type { Chapter } from './chapter.ts';
import { firstChecks } from './first-check.ts';
import { inRounds } from './rounds.ts';
import { launch, type WorkerName } from './runtime.ts';

type Started = Extract<WorkerName, 'service' | 'yardsticks'>;

const FIRST_ANSWER: Record<Started, RequestInit & { readonly path: string }> = {
  service: { path: '/health', method: 'GET' },
  yardsticks: { path: '/constant', method: 'POST', body: '{}' },
};

/** CPU milliseconds of a fresh runtime. */
interface StartUp {
  /** Until it listens: every module has been compiled and run by then. */
  readonly untilItListens: number;
  readonly forFirstAnswer: number;
}

/**
 * What the modules weigh, and what their start costs: the CPU time of a fresh runtime until it listens, less that of one
 * with the constant yardstick in the service's place. The first answer, which touches no storage, is measured by itself.
 */
export const startUp: Chapter = async ({ rounds }) => {
  const { atStart, modules } = builtService();
  const workers: readonly Started[] = ['yardsticks', 'service'];
  for (const worker of workers) await measure(worker);
  const measured = await inRounds([workers], rounds, measure);
  const more = (of: (startUp: StartUp) => number): number[] =>
    differences((measured.get('service') ?? []).map(of), (measured.get('yardsticks') ?? []).map(of));
  const checks = await firstChecks(rounds);
  const beside = 'less that of the constant Worker';
  return {
    figures: [
      { what: 'modules at the start, gzip', unit: 'KiB', goal: '≤ 133', rounds: [kibOf(atStart)] },
      { what: 'all modules, gzip', unit: 'KiB', goal: '≤ 315', rounds: [kibOf(modules)] },
      {
        what: 'start-up of the module: CPU',
        beside,
        unit: 'ms',
        goal: '≤ 50',
        rounds: more(({ untilItListens }) => untilItListens),
      },
      {
        what: 'first answer after it: CPU',
        beside,
        unit: 'ms',
        rounds: more(({ forFirstAnswer }) => forFirstAnswer),
      },
      {
        what: 'first plate check of a fresh isolate: CPU',
        beside: 'less that of a later one',
        unit: 'ms',
        goal: '≤ 10',
        rounds: checks.map(({ first, later }) => first - later),
      },
      {
        what: 'second plate check: CPU',
        beside: 'less that of a later one',
        unit: 'ms',
        rounds: checks.map(({ second, later }) => second - later),
      },
    ],
  };
};

const differences = (own: readonly number[], other: readonly number[]): number[] =>
  own.map((value, round) => value - (other[round] ?? Number.NaN));

async function measure(worker: Started): Promise<StartUp> {
  const { address, cpuSeconds, stop } = await launch([worker]);
  try {
    const listening = cpuSeconds();
    const { path, ...request } = FIRST_ANSWER[worker];
    const response = await fetch((await address(worker)) + path, request);
    await response.text();
    if (response.status !== 200) {
      throw new Error(`${worker} answers ${response.status}`);
    }
    return { untilItListens: listening * 1_000, forFirstAnswer: (cpuSeconds() - listening) * 1_000 };
  } finally {
    await stop();
  }
}
