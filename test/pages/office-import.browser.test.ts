import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { picture } from '../browser/chromium.ts';
import { Clerk, foundCities } from '../browser/office-desk.ts';
import { startWorld } from '../browser/world.ts';
import { type Cell, daysOf, workbook } from '../tables/workbook.ts';

let office: string;
const world = startWorld(async (service) => {
  await foundCities(service);
  office = await service.tokenOf({ scopes: ['office'] });
});

const atTheImport = async (): Promise<Clerk> => {
  const clerk = new Clerk(await world.open('/office', { acceptDownloads: true }));
  await clerk.signIn(office);
  await clerk.goTo('Import');
  return clerk;
};

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const COLUMNS = {
  ...{
    'Number *': 'Numero',
    'Plates *': 'Targhe',
    'Type *': 'Tipo',
    'Application *': 'Stato',
    'Areas *': 'Zone',
  },
  ...{ 'Period from': 'Dal', 'Period until': 'Al' },
};

async function openFile(
  page: Page,
  name: string,
  mimeType: string,
  content: Uint8Array | string,
  titles = '1',
) {
  await page.locator('input[type=file]').setInputFiles({ name, mimeType, buffer: Buffer.from(content) });
  await page.getByLabel('Line of the titles').fill(titles);
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await page.getByRole('heading', { name: 'Which column is what' }).waitFor();
}

async function readRows(page: Page, columns: Readonly<Record<string, string>> = {}): Promise<void> {
  if (Object.keys(columns).length > 0) await page.getByRole('button', { name: 'More columns' }).click();
  for (const [label, title] of Object.entries(columns)) {
    await page.getByLabel(label, { exact: true }).selectOption(title);
  }
  await page.getByRole('button', { name: 'Read the rows' }).click();
  await page.getByRole('heading', { name: 'The first rows' }).waitFor({ timeout: 60_000 });
}

it('More rejected rows than a result of the client holds are all there', async () => {
  const rows = Array.from({ length: 1_200 }, (_, row) => `P-${row};AB${row}CD;GUEST;approved;all`);
  const { page } = await atTheImport();
  await openFile(
    page,
    'ospiti.csv',
    'text/csv',
    ['Number;Plates;Type;Application;Areas', ...rows].join('\n'),
  );
  await readRows(page);
  await page.getByRole('button', { name: 'Try without storing' }).click();
  await page.getByRole('heading', { name: 'Rejected rows (1200)' }).waitFor();
  expect(await page.getByText(/not named/).count()).toBe(0);
});

/** The count that stands below a word. */
const countOf = (page: Page, word: string): Promise<string> =>
  page.locator('.held div').filter({ hasText: word }).locator('dd').innerText();

/** Every 135th of 5,000 rows is bad, in one of three ways: 37 in all. */
const ROWS = 5_000;
const badness = (row: number): number | null => (row % 135 === 134 ? ((row - 134) / 135) % 3 : null);

function rowOf(row: number): Cell[] {
  const bad = badness(row);
  const day = (shown: string): Cell => ({ days: daysOf(shown), as: 'date' });
  return [
    `R-${row}`,
    // A number in place of a plate: its zeros are gone.
    bad === 0 ? 123 : `AB${String(row).padStart(4, '0')}C`,
    bad === 1 ? 'GUEST' : 'RES',
    'approvato',
    'S1',
    day('2026-12-01T00:00:00'),
    bad === 2 ? '31/02/2027' : day('2026-12-31T00:00:00'),
  ];
}

it('5,000 rows of a workbook are imported, 37 bad ones are named, corrected and sent again', async () => {
  const titles = ['Numero', 'Targhe', 'Tipo', 'Stato', 'Zone', 'Dal', 'Al'];
  const rows = Array.from({ length: ROWS }, (_, row) => rowOf(row));
  const { page, complaints } = await atTheImport();
  await openFile(
    page,
    'residenti.xlsx',
    XLSX,
    workbook({ Foglio1: [['Residenti 2026'], titles, ...rows] }),
    '2',
  );
  await readRows(page, COLUMNS);
  expect(await page.getByRole('table').first().getByRole('row').count()).toBe(11);
  await page.getByText('5000 rows, of which 25 cannot be read.').waitFor();
  // The twelve rows that the service alone knows to be bad are named before anything is stored.
  await page.getByRole('button', { name: 'Try without storing' }).click();
  await page.getByText('Tried: nothing was stored.').waitFor();
  await page.getByRole('heading', { name: 'Rejected rows (37)' }).waitFor();
  await page.getByRole('button', { name: 'Import 4975 rows' }).click();
  await page.getByText('Imported.').waitFor({ timeout: 60_000 });
  expect([await countOf(page, 'New'), await countOf(page, 'Rejected by')]).toEqual(['4963', '12']);
  await page.getByRole('heading', { name: 'Rejected rows (37)' }).waitFor();
  const reasons = await page.getByRole('region', { name: 'Rejected rows' }).getByRole('cell').allInnerTexts();
  expect(reasons).toHaveLength(37);
  expect(reasons.filter((text) => text.startsWith('Targhe: 123 is a number in the sheet'))).toHaveLength(13);
  expect(reasons.filter((text) => text.startsWith('Tipo: GUEST – the municipality has no'))).toHaveLength(12);
  expect(reasons.filter((text) => text.startsWith('Al: 31/02/2027 is no date'))).toHaveLength(12);
  await picture(page, 'office-import');

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Keep the rejected rows' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('residenti-rejected.csv');
  const rejected = readFileSync(await download.path(), 'utf8');
  const corrected = rejected
    .split('\r\n')
    .map((line, index) => line.replace(/;;RES;/, `;CO${String(index).padStart(4, '0')}R;RES;`))
    .map((line) => line.replaceAll('GUEST', 'RES').replaceAll('31/02/2027', '28/02/2027'))
    .join('\r\n');
  await openFile(page, 'residenti-rejected.csv', 'text/csv', corrected);
  // The browser has kept which column is what.
  await readRows(page);
  await page.getByText('37 rows, of which 0 cannot be read.').waitFor();
  await page.getByRole('button', { name: 'Import 37 rows' }).click();
  await page.getByText('Imported.').waitFor();
  expect(await countOf(page, 'New')).toBe('37');
  expect(complaints).toEqual([]);
});

it('50,000 rows do not freeze the page, and their import can be stopped', { timeout: 180_000 }, async () => {
  const line = (row: number): string => `S-${row};AB${row}CD;S1;01/11/2026 08:00;01/11/2026 09:00`;
  const csv = ['Sosta;Targa;Area;Inizio;Fine', ...Array.from({ length: 50_000 }, (_, row) => line(row))].join(
    '\n',
  );
  const { page } = await atTheImport();
  await page.getByLabel('Rows are').selectOption('sessions');
  await openFile(page, 'soste.csv', 'text/csv', csv);
  await page.evaluate(() => {
    const noted = Object.assign(globalThis, { longestMs: 0 });
    let last = performance.now();
    setInterval(() => {
      noted.longestMs = Math.max(noted.longestMs, performance.now() - last);
      last = performance.now();
    }, 20);
  });
  await readRows(page, {
    ...{ 'Session *': 'Sosta', 'Plate *': 'Targa', 'Area *': 'Area', 'Start *': 'Inizio', End: 'Fine' },
  });
  await page.getByText('50000 rows, of which 0 cannot be read.').waitFor();
  await page.getByRole('button', { name: 'Import 50000 rows' }).click();
  await page.getByText(/[1-9]\d*000 \/ 50000/).waitFor({ timeout: 60_000 });
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('It was stopped. What was stored stays').waitFor();
  expect(Number(await countOf(page, 'New'))).toBeGreaterThanOrEqual(1_000);
  const longest = await page.evaluate(() => (globalThis as unknown as { longestMs: number }).longestMs);
  expect(longest).toBeLessThan(1_000);
});
