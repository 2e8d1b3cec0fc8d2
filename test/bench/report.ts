import { cpus } from 'node:os';
import type { Findings } from './chapter.ts';
import { CONNECTIONS } from './load.ts';
import { summaryOf } from './rounds.ts';

/** Prints what a run has found as tables of Markdown, with the machine that it ran on. */
export function printTables(findings: readonly Findings[], rounds: number, seconds: number): void {
  console.log(`${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.versions.node}`);
  console.log(`${rounds} rounds of ${seconds} s, ${CONNECTIONS} connections; medians (lowest..highest)\n`);
  const loaded = findings.flatMap(({ loads = {} }) => Object.entries(loads));
  if (loaded.length > 0) {
    const rows = loaded.map(([name, measured]) => [
      name,
      spread(measured.map(({ perSecond }) => perSecond)),
      spread(measured.map(({ p99Ms }) => p99Ms)),
      spread(measured.map(({ cpuUsPerRequest }) => cpuUsPerRequest)),
    ]);
    console.log(table(['loaded', 'requests/s', 'p99 ms', 'CPU µs a request'], rows));
  }
  const figures = findings.flatMap((one) => one.figures);
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
