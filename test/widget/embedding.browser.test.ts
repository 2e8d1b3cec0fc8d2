import { describe, expect, it } from 'vitest';
import { watchedPage } from '../browser/chromium.ts';
import { HOSTILE, looksIn } from '../browser/hostile-styles.ts';
import { widgetStage } from '../browser/stage.ts';

const stage = widgetStage();

/** Opens a page of another origin that has nothing but this in it. */
async function paste(html: string) {
  stage.site.page = `<!doctype html><title>Empty</title>${html}`;
  const watched = await watchedPage(stage.browser, [stage.service.address, stage.site.address]);
  await watched.page.goto(`${stage.site.address}/`);
  return watched;
}

const script = () => `<script type="module" src="${stage.service.address}/widget/v1.js"></script>`;

describe('An empty page of another origin', () => {
  it('shows two cities side by side with one script, each with its own data', async () => {
    const { page, strangers, complaints } = await paste(
      `${script()}<parking-occupancy municipality="L219"></parking-occupancy>
       <parking-occupancy municipality="A944" lang="it"></parking-occupancy>`,
    );
    await page.getByRole('heading', { name: 'Torino: free parking spaces' }).waitFor();
    await page.getByRole('heading', { name: 'Bologna: posti liberi' }).waitFor();
    expect({ strangers, complaints }).toEqual({ strangers: [], complaints: [] });
    await page.close();
  });

  it('may load the script twice, from two addresses', async () => {
    const again = script().replace('v1.js', 'v1.js?again');
    const { page, complaints } = await paste(
      `${script()}${again}<parking-occupancy municipality="L219"></parking-occupancy>`,
    );
    await page.getByRole('heading', { name: 'Torino: free parking spaces' }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('may make elements of its own, before and after the script has come', async () => {
    const { page } = await paste(`<parking-occupancy id="early"></parking-occupancy>`);
    await page.evaluate(() => document.getElementById('early')?.setAttribute('municipality', 'L219'));
    await page.addScriptTag({ type: 'module', url: `${stage.service.address}/widget/v1.js` });
    await page.getByRole('heading', { name: 'Torino' }).waitFor();
    await page.evaluate(() => {
      const late = document.createElement('parking-occupancy');
      Object.assign(late, { municipality: 'A944' });
      document.body.append(late);
    });
    await page.getByRole('heading', { name: 'Bologna' }).waitFor();
    await page.close();
  });

  it('has the last word on size and colours', async () => {
    const { page } = await paste(
      `<style>parking-occupancy { block-size: 20rem; color-scheme: light }</style>${script()}
       <parking-occupancy municipality="L219"></parking-occupancy>`,
    );
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.getByRole('heading', { name: 'Torino' }).waitFor();
    const card = page.locator('.card');
    expect((await card.boundingBox())?.height).toBe(320);
    expect(await card.evaluate((element) => getComputedStyle(element).backgroundColor)).toBe(
      'rgb(255, 255, 255)',
    );
    await page.close();
  });

  it('changes nothing in it by a style sheet that says something of everything', async () => {
    const widget = '<parking-occupancy municipality="L219" style="inline-size: 40rem"></parking-occupancy>';
    const look = async (styles: string) => {
      const { page } = await paste(`<style>${styles}</style>${script()}${widget}`);
      await page.getByRole('listitem').first().waitFor();
      const looks = await looksIn(page.locator('.card'));
      await page.close();
      return looks;
    };
    const alone = await look('');
    expect(alone.length).toBeGreaterThan(50);
    expect(await look(HOSTILE)).toEqual(alone);
  });
});
