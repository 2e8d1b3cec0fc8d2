import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { foundCity } from './city.ts';
import { summaryOf } from './rounds.ts';
import { launch, startRuntime } from './runtime.ts';
import { ask, ITS_SESSION, PARKED, plateCheckGranted, yardstick } from './subjects.ts';

const SESSIONS = 1_000;
/** The runtime's own database and objects are built with the first of these, and compiled with the next. */
const YARDSTICK_CALLS = 20;
const LATER_CHECKS = 9;

/** CPU milliseconds of the whole runtime for one plate check. */
interface FirstCheck {
  readonly first: number;
  /** The median of those after the first. */
  readonly later: number;
}

/**
 * What the first plate check of a fresh process costs. A yardstick has asked the same database and an object of its own
 * by then: what is measured is the service's, not the local runtime's.
 */
export async function firstChecks(rounds: number): Promise<readonly FirstCheck[]> {
  const folder = mkdtempSync(join(tmpdir(), 'parking-bench-first-'));
  try {
    const runtime = await startRuntime({ folder });
    const { token } = await foundCity(runtime, SESSIONS).finally(() => runtime.stop());
    const measured: FirstCheck[] = [];
    for (let round = 0; round < rounds; round += 1) measured.push(await firstCheck(folder, token));
    return measured;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function firstCheck(folder: string, token: string): Promise<FirstCheck> {
  const { address, cpuSeconds, stop } = await launch(['yardsticks', 'service'], { folder });
  try {
    const runtime = { service: await address('service'), yardsticks: await address('yardsticks') };
    const beside = yardstick({ runtime, token }, 'yardstick', '/check', { plate: PARKED }, ITS_SESSION);
    for (let call = 0; call < YARDSTICK_CALLS; call += 1) await ask(beside);
    const check = plateCheckGranted({ runtime, token });
    const cpuOfCheck = async () => {
      const before = cpuSeconds();
      await ask(check);
      return (cpuSeconds() - before) * 1_000;
    };
    const first = await cpuOfCheck();
    const later: number[] = [];
    for (let call = 0; call < LATER_CHECKS; call += 1) later.push(await cpuOfCheck());
    return { first, later: summaryOf(later).median };
  } finally {
    await stop();
  }
}
