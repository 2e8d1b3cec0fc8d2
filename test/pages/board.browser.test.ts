import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { picture, type Watched, watchToken } from '../browser/chromium.ts';
import { accessibilityIssues } from '../browser/embedded.ts';
import { evening, report } from '../browser/evening.ts';
import { publishCities } from '../browser/public-cities.ts';
import { startWorld } from '../browser/world.ts';
import { shortOrThorough } from '../support/run-form.ts';

const MIB = 2 ** 20;
const MINUTE = 60_000;

const world = startWorld(publishCities);

const issue = (changed: object = {}): Promise<string> =>
  world.service.tokenOf({ scopes: ['report'], ...changed });

const open = (): Promise<Watched> => world.open('/board');

async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Access token').fill(token);
  await page.keyboard.press('Enter');
}

const occupied = (page: Page) => page.locator('.tiles .note').first();
const areaOf = (page: Page) => page.getByRole('rowheader', { name: 'Parcheggio Centro' });

describe('The control room', () => {
  it('opens with a token, which is in no address, no storage that stays, and no header but one', async () => {
    const token = await issue();
    const opened = await open();
    const { page } = opened;
    expect(await accessibilityIssues(opened)).toEqual([]);
    const leaked = watchToken(opened, token);
    await signIn(page, token);
    await areaOf(page).waitFor();
    expect(await leaked()).toEqual([]);
    expect(await page.content()).not.toContain(token);
    // The tab goes on where it was, until somebody signs out.
    await page.reload();
    await areaOf(page).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    await page.reload();
    await page.getByLabel('Access token').waitFor();
  });

  it('lets a credential of several municipalities choose one', async () => {
    const token = await issue({ municipalities: ['L219', 'F205'] });
    const { page } = await open();
    await signIn(page, token);
    await page.getByRole('rowheader', { name: 'Garage 59' }).waitFor();
    const names = () => page.getByLabel('Municipality').locator('option').allInnerTexts();
    await expect.poll(names).toEqual(['Milano', 'Torino']);
    await page.getByLabel('Areas').first().selectOption('street');
    await page.getByText('There are no areas of this type.').waitFor();
    await page.getByLabel('Municipality').selectOption('Torino');
    await page.getByRole('rowheader', { name: 'Via Roma' }).waitFor();
  });

  it.each([
    ['is mistyped', async () => `${await issue()}x`, 'This is not an access token of this service.'],
    ['is none at all', async () => 'pev_at_ “something”', 'This is not an access token of this service.'],
    [
      'has expired',
      () => issue({ expires_at: '2020-01-01T00:00:00Z' }),
      'The credential has expired. Ask your administrator.',
    ],
    [
      'may read no report',
      () => issue({ scopes: ['import'] }),
      'It needs the scope “report”. Ask your administrator.',
    ],
  ])('says what to do about a token that %s, and keeps it nowhere', async (_, tokenOf, words) => {
    const token = await tokenOf();
    const { page } = await open();
    await signIn(page, token);
    await page.getByRole('status').getByText(words).waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    expect(await page.getByLabel('Access token').inputValue()).toBe('');
  });

  it('takes another token while the first one waits, and drops the first', async () => {
    const { page } = await open();
    await page.clock.install();
    await page.route('**/api/v2/credential', (route) => route.abort('internetdisconnected'));
    await signIn(page, await issue({ municipalities: ['A944'] }));
    await page.getByText('The service cannot be reached.').waitFor();
    await page.unroute('**/api/v2/credential');
    await signIn(page, await issue());
    await areaOf(page).waitFor();
    await page.clock.runFor(61_000);
    expect(await page.getByLabel('Municipality').inputValue()).toBe('L219');
  });

  it('says that a budget is spent, and goes on by itself', async () => {
    // One call tells whose token it is.
    const token = await issue({ rate_limit: { limit: 1, window_seconds: 5 } });
    const { page } = await open();
    await signIn(page, token);
    await page.getByText('The credential’s budget is spent. Updates resume by themselves at').waitFor();
    await areaOf(page).waitFor();
    await page.getByText('The credential’s budget is spent.').waitFor({ state: 'hidden' });
  });
});

const openEvening = async (options: BrowserContextOptions = {}) => evening(world, await issue(), options);

describe('The control room through an evening', { timeout: 120_000 }, () => {
  it('asks once a minute, and draws the day with a gap where nothing was heard, until midnight', async () => {
    const { page, reality, pass, lines } = await openEvening();
    await pass(10);
    expect(reality.asked).toBe(11);
    expect(await lines()).toEqual([11]);
    reality.occupied = 310;
    await pass(1);
    await expect.poll(() => occupied(page).innerText()).toBe('310 of 300');
    expect(await page.locator('td.over').allInnerTexts()).toEqual(['▲ 10', '▲ 2']);
    // Nothing is over in an hour: its column of zeros is not there.
    expect(await page.getByRole('columnheader', { name: 'Over', exact: true }).count()).toBe(2);

    reality.isAway = true;
    await pass(60);
    await page.getByText('The service cannot be reached. The page will try again at').waitFor();
    await page.getByText('These figures are 60 min old').waitFor();
    expect(await page.locator('.stale').count()).toBe(1);
    expect(await occupied(page).innerText()).toBe('310 of 300');
    reality.isAway = false;
    reality.occupied = 40;
    await pass(3);
    await expect.poll(lines).toEqual([12, 3]);
    expect(await page.locator('.stale').count()).toBe(0);
    expect(await page.getByText('The service cannot be reached.').count()).toBe(0);

    // 22:30 and 74 minutes: midnight in Rome is 16 minutes away, and the first point of the day.
    await pass(17);
    await expect.poll(lines).toEqual([2]);
  });

  it('draws from its first minute what is known of the next hour, until midnight', async () => {
    const { page, pass, reality } = await openEvening();
    const later = async () => (await page.locator('.day .later').getAttribute('points'))?.split(' ');
    expect(await later()).toHaveLength(3);
    await page.getByRole('img', { name: 'Occupied today: Now 40, In 30 min 32, In 60 min 5' }).waitFor();
    // 22:30 and 40 minutes: half an hour later is another day.
    await pass(40);
    await expect.poll(later).toHaveLength(2);
    expect(reality.asked).toBe(41);
  });

  it('has the fullest areas first', async () => {
    const { page } = await openEvening();
    const names = await page.getByRole('rowheader').allInnerTexts();
    expect(names).toEqual(['Parcheggio Centro', 'Autorimessa', 'Zona']);
  });

  it('shows figures alone on a wall screen, also after a reload, until somebody leaves it', async () => {
    const { page, pass, reality } = await openEvening({ viewport: { width: 1_280, height: 900 } });
    await page.getByRole('link', { name: 'Wall screen' }).click();
    await expect.poll(() => page.getByRole('navigation').count()).toBe(0);
    await page.reload();
    await areaOf(page).waitFor();
    expect(await page.getByLabel('Areas').first().isVisible()).toBe(false);
    // Its title is for screen readers alone.
    const title = page.getByRole('heading', { level: 1 });
    const shown = () => title.evaluate((one) => getComputedStyle(one).clipPath);
    expect(await shown()).toBe('inset(50%)');
    expect(await title.count()).toBe(1);
    expect(await page.locator('.tiles').isVisible()).toBe(true);
    reality.isAway = true;
    await pass(1);
    await page.getByText('The service cannot be reached.').waitFor();
    await page.getByRole('link', { name: 'Leave the wall screen' }).click();
    expect(await shown()).toBe('none');
  });

  it.each([320, 1_280])('moves nothing when a message comes and goes, %i pixels wide', async (width) => {
    const { page, reality, pass } = await openEvening({ viewport: { width, height: 900 } });
    const top = async () => (await page.locator('.tiles').boundingBox())?.y;
    const before = await top();
    reality.isAway = true;
    await pass(1);
    await page.getByText('The service cannot be reached.').waitFor();
    expect(await top()).toBe(before);
    reality.isAway = false;
    await pass(1);
    await page.getByText('The service cannot be reached.').waitFor({ state: 'hidden' });
    expect(await top()).toBe(before);
  });

  it('names a source that is late, until it is back', async () => {
    const { page, reality, pass } = await openEvening();
    await page.getByText('All sources report on time.').waitFor();
    reality.isLate = true;
    await pass(1);
    await page.getByText('▲ The app is late: last heard 23/11/2026, 22:31').waitFor();
    reality.isLate = false;
    await pass(1);
    await page.getByText('All sources report on time.').waitFor();
  });

  it('offers the share of an active source alone: the report refuses that of any other', async () => {
    const { page } = await openEvening();
    const offered = await page.getByLabel('Share of a source').locator('option').allInnerTexts();
    expect(offered).toEqual(['None', 'The app']);
  });

  const LOOKS = (['light', 'dark'] as const).flatMap((colorScheme) =>
    [320, 640, 1_280].map((width) => ({ colorScheme, width })),
  );

  it.each(LOOKS)('is readable in $colorScheme colours, $width pixels wide', async (look) => {
    const { colorScheme, width } = look;
    const opened = await openEvening({ colorScheme, viewport: { width, height: 900 } });
    const { page, reality, pass, complaints } = opened;
    reality.isLate = true;
    reality.occupied = 310;
    await pass(2);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    // The checker waits by the page's clock.
    await page.clock.resume();
    expect(await accessibilityIssues(opened, '.day')).toEqual([]);
    expect(complaints).toEqual([]);
    await picture(page, `board-${colorScheme}-${width}`);
  });

  it('draws no other choice’s picture while the service is away', async () => {
    const { page, reality, pass } = await openEvening();
    reality.isAway = true;
    await page.getByLabel('Areas').first().selectOption('street');
    await page.getByText('The service cannot be reached.').waitFor();
    expect(await page.locator('.tiles').count()).toBe(0);
    expect(await page.getByText('As of').count()).toBe(0);
    reality.isAway = false;
    await pass(1);
    await areaOf(page).waitFor();
  });

  /** In minutes: a day. It is small when two hours of it leave as much behind. */
  const DAY = shortOrThorough(90, 1_440);
  const SETTLED = shortOrThorough(30, 120);

  it(`asks once a minute and stays small for ${DAY} minutes`, { timeout: 900_000 }, async () => {
    const { page } = await openEvening();
    // Answered in the page itself: a day of round trips would take as long as the machine is slow.
    await page.evaluate(
      (sample) => {
        const counted = Object.assign(globalThis, { asked: 0 });
        globalThis.fetch = async () => {
          counted.asked += 1;
          return Response.json({ ...sample, checked_at: new Date().toISOString() });
        };
      },
      report(Date.now(), 40, 300, false),
    );
    const session = await page.context().newCDPSession(page);
    const left = async () => {
      await session.send('HeapProfiler.collectGarbage');
      const { usedSize } = await session.send('Runtime.getHeapUsage');
      return { elements: await page.locator('*').count(), heap: usedSize };
    };
    const minutes = async (count: number) => {
      for (let minute = 0; minute < count; minute += 1) await page.clock.fastForward(MINUTE);
    };
    await minutes(SETTLED);
    const before = await left();
    await minutes(DAY - SETTLED);
    const after = await left();
    expect(await page.evaluate(() => (globalThis as unknown as { asked: number }).asked)).toBe(DAY);
    expect(after.elements).toBe(before.elements);
    expect(after.heap).toBeLessThan(before.heap + 2 * MIB);
  });
});
