// Measures the service on its production bundle beside yardsticks. It reports; it does not judge.
import { readCommandLine } from '../../tools/command-line.ts';
import { backup } from './backup.ts';
import { root } from './bundle.ts';
import type { Chapter, Findings } from './chapter.ts';
import { Cities } from './city.ts';
import { evidence } from './evidence.ts';
import { imports } from './imports.ts';
import { lists } from './lists.ts';
import { million } from './million.ts';
import { payments } from './payments.ts';
import { printTables, reportOf, writeJson } from './report.ts';
import { sparse } from './sparse.ts';
import { startUp } from './start-up.ts';
import { throughput } from './throughput.ts';

const CHAPTERS: Readonly<Record<string, Chapter>> = {
  throughput,
  million,
  evidence,
  payments,
  imports,
  lists,
  'start-up': startUp,
  sparse,
  backup,
};

const INTERRUPTED = 130;

const USAGE = `npm run bench -- [--rounds N] [--seconds N] [--only LIST] [--json FILE]
  --rounds N   how often each figure is measured (5)
  --seconds N  how long each time (3)
  --only LIST  of ${Object.keys(CHAPTERS).join(', ')} (all)
  --json FILE  where the figures go too (.wrangler/bench.json)`;

const { values: options } = readCommandLine(USAGE, {
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    only: { type: 'string', default: Object.keys(CHAPTERS).join() },
    json: { type: 'string', default: `${root}.wrangler/bench.json` },
  },
});

const rounds = wholeNumber('rounds', options.rounds);
const seconds = wholeNumber('seconds', options.seconds);
const chosen = options.only.split(',').map((name): [string, Chapter] => {
  const chapter = CHAPTERS[name];
  if (chapter === undefined) {
    throw new Error(`there is no chapter "${name}", but ${Object.keys(CHAPTERS).join(', ')}`);
  }
  return [name, chapter];
});

// Whatever runs ends with this process, and takes its files along: it must only end by itself.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => process.exit(INTERRUPTED));
}

const cities = new Cities();
try {
  const findings: Findings[] = [];
  for (const [name, chapter] of chosen) {
    console.error(`${name} …`);
    findings.push(await chapter({ rounds, seconds, cities }));
  }
  const report = reportOf(findings, rounds, seconds);
  writeJson(report, options.json);
  printTables(report);
} finally {
  await cities.stop();
}

function wholeNumber(name: string, text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text)) {
    throw new Error(`--${name} takes a whole number from 1 on`);
  }
  return Number(text);
}
