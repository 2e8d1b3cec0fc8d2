import { builtService, kibOf } from './bundle.ts';
import type { Chapter } from './chapter.ts';
import { firstChecks } from './first-check.ts';
import { inRounds } from './rounds.ts';
import { launch, type WorkerName } from './runtime.ts';

/**
 * What the modules weigh, and what their start costs: the CPU time of a fresh runtime until it listens, less that of one
 * with the yardsticks in the service's place; and the CPU time of a fresh isolate's first check, less that of a later one.
 */
export const startUp: Chapter = async ({ rounds }) => {
  const { atStart, modules } = builtService();
  const workers: readonly WorkerName[] = ['yardsticks', 'service'];
  for (const worker of workers) await measure(worker);
  const measured = await inRounds([workers], rounds, measure);
  const starts = (worker: WorkerName) => measured.get(worker) ?? [];
  const checks = await firstChecks(rounds);
  return {
    figures: [
      { what: 'modules at the start, gzip', unit: 'KiB', goal: '≤ 133', rounds: [kibOf(atStart)] },
      { what: 'all modules, gzip', unit: 'KiB', goal: '≤ 250', rounds: [kibOf(modules)] },
      {
        what: 'start-up of the module: CPU',
        beside: 'less that of the constant Worker',
        unit: 'ms',
        goal: '≤ 60',
        rounds: starts('service').map((ms, round) => ms - (starts('yardsticks')[round] ?? Number.NaN)),
      },
      {
        what: 'first plate check of a fresh isolate: CPU',
        beside: 'less that of a later one',
        unit: 'ms',
        goal: '≤ 12',
        rounds: checks.map(({ first, later }) => first - later),
      },
    ],
  };
};

/** CPU milliseconds of a fresh runtime until it listens: every module has been compiled and run by then. */
async function measure(worker: WorkerName): Promise<number> {
  const { cpuSeconds, stop } = await launch([worker]);
  const used = cpuSeconds() * 1_000;
  await stop();
  return used;
}
