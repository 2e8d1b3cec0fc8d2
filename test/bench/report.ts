import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, totalmem } from 'node:os';
import { dirname } from 'node:path';
import type { Figure, Findings } from './chapter.ts';
import { CONNECTIONS, type Load } from './load.ts';
import { summaryOf } from './rounds.ts';

const GIB = 1024 ** 3;

/** What a run has found, with the machine that it ran on. */
export interface Report {
  readonly date: string;
  readonly machine: ReturnType<typeof machine>;
  readonly rounds: number;
  readonly secondsPerLoad: number;
  readonly connections: number;
  readonly loads: Readonly<Record<string, readonly Load[]>>;
  readonly figures: readonly (Figure & ReturnType<typeof summaryOf>)[];
}

export function reportOf(findings: readonly Findings[], rounds: number, secondsPerLoad: number): Report {
  return {
    date: new Date().toISOString(),
    machine: machine(),
    rounds,
    secondsPerLoad,
    connections: CONNECTIONS,
    loads: Object.assign({}, ...findings.map(({ loads }) => loads)),
    figures: findings.flatMap(({ figures }) =>
      figures.map((figure) => ({ ...figure, ...summaryOf(figure.rounds) })),
    ),
  };
}

export function writeJson(report: Report, file: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
}

/** The tables, as Markdown. */
export function printTables({ machine, connections, secondsPerLoad, rounds, loads, figures }: Report): void {
  const { cores, cpu, memoryGiB, node, workerd } = machine;
  console.log(`${cores} × ${cpu}, ${memoryGiB} GiB, Node ${node}, workerd ${workerd}`);
  console.log(
    `${rounds} rounds of ${secondsPerLoad} s, ${connections} connections; medians (lowest..highest)\n`,
  );
  const loaded = Object.entries(loads);
  if (loaded.length > 0) {
    const rows = loaded.map(([name, measured]) => [
      name,
      spread(measured.map(({ perSecond }) => perSecond)),
      spread(measured.map(({ p99Ms }) => p99Ms)),
      spread(measured.map(({ cpuUsPerRequest }) => cpuUsPerRequest)),
    ]);
    console.log(table(['loaded', 'requests/s', 'p99 ms', 'CPU µs a request'], rows));
  }
  const rows = figures.map(({ what, beside = '', unit, goal = '', rounds: each }) => [
    what,
    beside,
    `${spread(each)} ${unit}`,
    goal,
  ]);
  console.log(table(['figure', 'beside', 'measured', 'goal'], rows));
}

function spread(values: readonly number[]): string {
  const { median, lowest, highest } = summaryOf(values);
  return values.length === 1 ? short(median) : `${short(median)} (${short(lowest)}..${short(highest)})`;
}

/** Three digits, or all before the point. */
const short = (value: number): string =>
  Number.isFinite(value) ? value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2) : '–';

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((cell, column) =>
    Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line), ''].join('\n');
}

function machine() {
  const [first] = cpus();
  const workerd = readFileSync(createRequire(import.meta.url).resolve('workerd/package.json'), 'utf8');
  return {
    cores: cpus().length,
    cpu: first?.model ?? 'unknown',
    memoryGiB: Math.round(totalmem() / GIB),
    node: process.versions.node,
    // A package says its version.
    workerd: (JSON.parse(workerd) as { readonly version: string }).version,
  };
}
