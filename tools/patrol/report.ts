// Plays weeks of the synthetic city, prints the wrong and right fines with and without the findings, and
// writes them into docs/patrol.md, with a plot. `node tools/patrol/report.ts [--weeks 10] [--seed 1]`

import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { print } from '../print.ts';
import { CAUSES, type Cause, type Tallies, weekOf } from './simulate.ts';

const { values } = parseArgs({
  options: { weeks: { type: 'string', default: '10' }, seed: { type: 'string', default: '1' } },
});
const weeks = Number(values.weeks);
const seed = Number(values.seed);

const PAGE = 'docs/patrol.md';
const PLOT = 'docs/patrol.svg';
const NAMES: Readonly<Record<Cause, string>> = {
  late_payment: 'wrong: the payment came late, or just after',
  wrong_street: 'wrong: paid for another street',
  listed_slip: 'wrong: mistyped by a slip of the table',
  other_mistype: 'wrong: mistyped otherwise',
  right: 'right',
};

const calm = sumOf(weeks, false);
const stopped = sumOf(weeks, true);
const table = [
  `Of ${weeks} weeks each, seed ${seed}:`,
  '',
  ...tableOf('no source stops', calm),
  '',
  ...tableOf('one source stops once, for one to three hours', stopped),
].join('\n');
print(table);

const page = readFileSync(PAGE, 'utf8');
const [before, after] = [page.indexOf('<!-- weeks -->'), page.indexOf('<!-- /weeks -->')];
writeFileSync(PAGE, `${page.slice(0, before)}<!-- weeks -->\n\n${table}\n\n${page.slice(after)}`);
writeFileSync(PLOT, plotOf(calm));

function sumOf(count: number, stopping: boolean): Tallies {
  const sum = weekOf(seed, stopping);
  for (let week = 1; week < count; week += 1) {
    const more = weekOf(seed + week, stopping);
    for (const cause of CAUSES) {
      sum[cause].plain += more[cause].plain;
      sum[cause].followed += more[cause].followed;
      sum[cause].waitedMinutes += more[cause].waitedMinutes;
    }
  }
  return sum;
}

function tableOf(title: string, tallies: Tallies): string[] {
  return [
    `| fines, ${title} | by the plain check | by the findings | fewer | later, on average |`,
    '|---|---|---|---|---|',
    ...CAUSES.map((cause) => {
      const { plain, followed, waitedMinutes } = tallies[cause];
      const fewer = `${((1 - followed / plain) * 100).toFixed(1)} %`;
      const later = followed === 0 ? '–' : `${(waitedMinutes / followed).toFixed(1)} minutes`;
      return `| ${NAMES[cause]} | ${plain} | ${followed} | ${fewer} | ${later} |`;
    }),
  ];
}

/** Two bars for each cause, on a scale of square roots, so that small numbers are visible. */
function plotOf(tallies: Tallies): string {
  const most = Math.max(...CAUSES.map((cause) => tallies[cause].plain));
  const width = (count: number) => (Math.sqrt(count / most) * 420).toFixed(1);
  const rows = CAUSES.map((cause, index) => {
    const y = 40 + index * 56;
    const { plain, followed } = tallies[cause];
    return `<text x="8" y="${y}">${NAMES[cause]}</text>
<rect x="8" y="${y + 6}" width="${width(plain)}" height="14" fill="#8a4b2a"/><text x="${Number(width(plain)) + 16}" y="${y + 18}">${plain}</text>
<rect x="8" y="${y + 23}" width="${width(followed)}" height="14" fill="#2a6f8a"/><text x="${Number(width(followed)) + 16}" y="${y + 35}">${followed}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 520 330" font-family="sans-serif" font-size="13" role="img" aria-label="Fines by cause: by the plain check, and by the findings">
<rect width="520" height="330" fill="#fff"/>
<text x="8" y="18" font-weight="bold">Fines: by the plain check (brown), by the findings (blue); bars by square root</text>
${rows.join('\n')}
</svg>
`;
}
