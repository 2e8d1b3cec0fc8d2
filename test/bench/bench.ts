// Measures the service as it is built beside yardsticks. It reports; it does not judge.
import { readCommandLine } from '../../tools/command-line.ts';
import type { Chapter, Findings } from './chapter.ts';
import { foundCity } from './city.ts';
import { evidence } from './evidence.ts';
import { imports } from './imports.ts';
import { lists } from './lists.ts';
import { payments } from './payments.ts';
import { printTables } from './report.ts';
import { startRuntime } from './runtime.ts';
import { startUp } from './start-up.ts';
import { throughput } from './throughput.ts';

const CHAPTERS = { throughput, evidence, payments, imports, lists, 'start-up': startUp };
const NAMES = Object.keys(CHAPTERS);
const SESSIONS = 100_000;
const INTERRUPTED = 130;

const USAGE = `npm run bench -- [--rounds N] [--seconds N] [--only LIST]
  --rounds N   how often each figure is measured (5)
  --seconds N  how long each time (3)
  --only LIST  of ${NAMES.join(', ')} (all)`;

const { values: options } = readCommandLine(USAGE, {
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    only: { type: 'string', default: NAMES.join() },
  },
});

const rounds = wholeNumber('rounds', options.rounds);
const seconds = wholeNumber('seconds', options.seconds);
const only = options.only.split(',');
const unknown = only.find((name) => !NAMES.includes(name));
if (unknown !== undefined) throw new Error(`there is no chapter "${unknown}", but ${NAMES.join(', ')}`);

// The runtime and the loads end with this process, and their files with them: it must only end by itself.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => process.exit(INTERRUPTED));
}

const city = await foundCity(await startRuntime(), SESSIONS);
try {
  const findings: Findings[] = [];
  for (const [name, chapter] of Object.entries<Chapter>(CHAPTERS)) {
    if (!only.includes(name)) continue;
    console.error(`${name} …`);
    findings.push(await chapter({ rounds, seconds, city }));
  }
  printTables(findings, rounds, seconds);
} finally {
  await city.runtime.stop();
}

function wholeNumber(name: string, text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text)) {
    throw new Error(`--${name} takes a whole number from 1 on`);
  }
  return Number(text);
}
