import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium, picture } from '../browser/chromium.ts';
import { accessibilityIssues } from '../browser/embedded.ts';
import {
  deviceOf,
  foundCities,
  goTo,
  minutesFromNow,
  onTheClock,
  openOffice,
  permit,
  rowOf,
  signIn,
  tokenFor,
} from '../browser/office-desk.ts';
import { START_MS, type StartedService, startService } from '../browser/started-service.ts';

let service: StartedService;
let browser: Browser;
let device: Awaited<ReturnType<typeof deviceOf>>;
let office: string;
let reader: string;

beforeAll(async () => {
  service = await startService();
  await foundCities(service);
  device = await deviceOf(service);
  office = await tokenFor(service, ['office']);
  reader = await tokenFor(service, ['office_read']);
  browser = await launchChromium();
}, START_MS);

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const atTheDesk = async (token = office, options: Parameters<typeof openOffice>[2] = {}) => {
  const watched = await openOffice(browser, service, options);
  await signIn(watched.page, token);
  await watched.page.getByRole('navigation', { name: 'Office' }).waitFor();
  return watched;
};

const lookUp = async (page: Page, plate: string): Promise<void> => {
  await page.getByRole('textbox', { name: 'Plate' }).fill(plate);
  await page.getByRole('button', { name: 'Look up' }).click();
};

const objectAt = async (page: Page, at: string): Promise<void> => {
  await page.getByRole('button', { name: 'Objection' }).click();
  const { date, time } = onTheClock(at);
  await page.getByLabel('Date of the notice').fill(date);
  await page.getByLabel('Time of the notice').fill(time);
  await page.getByRole('button', { name: 'Draw up' }).click();
};

/** The text of a file that the page gives the browser to keep. */
async function keptBy(page: Page, button: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).click(),
  ]);
  return readFileSync(await download.path(), 'utf8');
}

describe('A clerk’s day', () => {
  it('goes from the token to the closing of payments, and names the clerk on every call', async () => {
    await device.sessions({
      ...{ session_id: 'DAY-1', plate: 'DA111AY', area_code: 'S1' },
      ...{ starts_at: minutesFromNow(-30), ends_at: minutesFromNow(60) },
    });
    const collected_at = minutesFromNow(-5);
    await device.pay({
      ...{ payment_id: 'DAY-P', plate: 'ZZ999ZZ', terminal_code: 'METER-17', codice_tariffa: '101' },
      ...{ importo_eurocent: 2_500, collected_at },
    });
    const { page, strangers, complaints } = await openOffice(browser, service);
    const seen: string[] = [];
    const officers = new Set<string | undefined>();
    page.on('request', (request) => {
      const { authorization, 'officer-reference': officer, ...headers } = request.headers();
      if (authorization !== undefined) officers.add(officer);
      seen.push(request.url(), JSON.stringify(headers), request.postData() ?? '');
    });
    await signIn(page, office);
    await lookUp(page, 'da 111 ay');
    await page.getByText('DA111AY has a valid entitlement now in Torino.').waitFor();
    await goTo(page, 'Payments');
    await page.getByRole('button', { name: 'Show what waits' }).click();
    await rowOf(page, 'DAY-P').getByRole('button', { name: 'Settle' }).click();
    await page.getByLabel('Note').fill('Given back at the counter');
    await page.getByRole('button', { name: 'Record' }).click();
    await page.getByText('Payment DAY-P is settled.').waitFor();
    await page.getByLabel('Day').fill(onTheClock(collected_at).date);
    await page.getByRole('button', { name: 'Add up' }).click();
    await expect
      .poll(() => rowOf(page, 'METER-17').getByRole('cell').allInnerTexts())
      .toContain('1 · €25.00');
    expect(await keptBy(page, 'Keep as a file')).toContain('METER-17,0,0.00,0,0.00,1,25.00');

    expect([...officers]).toEqual(['ufficio-3']);
    expect(seen.filter((text) => text.includes(office) || /"referer":"[^"]/.test(text))).toEqual([]);
    const kept = await page.evaluate(() => [location.href, document.cookie, JSON.stringify(localStorage)]);
    expect(kept).toEqual([`${service.address}/office#payments`, '', '{}']);
    expect({ strangers, complaints }).toEqual({ strangers: [], complaints: [] });
    // The tab goes on where it was, until somebody signs out.
    await page.reload();
    await page.getByRole('heading', { name: 'Closing of a day' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Access token').waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    await page.close();
  });

  it('can be worked with the keyboard alone', async () => {
    await device.titles(permit('KEY-1', 'KE111YS'));
    const { page } = await openOffice(browser, service);
    const press = async (key: string, until: () => Promise<boolean>): Promise<void> => {
      for (let pressed = 0; pressed < 60 && !(await until()); pressed++) await page.keyboard.press(key);
      expect(await until()).toBe(true);
    };
    const isOn = (name: string) => async (): Promise<boolean> =>
      page.evaluate((text) => {
        const focused = document.activeElement;
        const label =
          focused instanceof HTMLInputElement ? focused.labels?.[0]?.textContent : focused?.textContent;
        return label?.trim() === text;
      }, name);
    await press('Tab', isOn('Access token'));
    await page.keyboard.type(office);
    await press('Tab', isOn('Your reference'));
    await page.keyboard.type('ufficio-3');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Permits' }).waitFor();
    await press('Tab', isOn('Permits'));
    await page.keyboard.press('Enter');
    await press('Tab', isOn('Number'));
    await page.keyboard.type('KEY-1');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Permit KEY-1' }).waitFor();
    await press('Tab', isOn('Renew, change or end'));
    await page.keyboard.press('Space');
    await press('Tab', isOn('Plates'));
    await page.keyboard.press('End');
    await page.keyboard.type(', KE222YS');
    await page.keyboard.press('Enter');
    await press('Tab', isOn('Save'));
    await page.keyboard.press('Enter');
    await page.getByText('KEY-1 is saved.').waitFor();
    await page.getByText('KE111YS, KE222YS').waitFor();
    await page.close();
  });
});

describe('A permit', () => {
  it('is renewed by its number, and its history shows both versions', async () => {
    await device.titles(permit('RES-1', 'RE111NW'));
    const { page } = await atTheDesk();
    await goTo(page, 'Permits');
    await page.getByLabel('or plate').fill('RE111NW');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('button', { name: 'RES-1' }).click();
    await page.getByRole('button', { name: 'Renew, change or end' }).click();
    await page.getByLabel('New period from').fill('2027-03-01');
    await page.getByLabel('until', { exact: true }).fill('2027-03-31');
    await page.getByRole('button', { name: 'Review' }).click();
    const change = page.locator('.card');
    await change.getByText('01/03/2027, 00:00 → 01/04/2027, 00:00').waitFor();
    // Its plates and areas are in no row: they stay.
    expect(await change.getByRole('row').count()).toBe(2);
    await change.getByRole('button', { name: 'Save' }).click();
    await page.getByText('RES-1 is saved.').waitFor();
    await page.getByRole('button', { name: 'History' }).click();
    await expect.poll(() => page.getByRole('table').last().getByRole('row').count()).toBe(3);
    await page.close();
  });

  it('keeps the validity of each of its plates, also of one that came back', async () => {
    await device.titles({
      ...permit('TWICE-1', 'TW111CE'),
      plates: [
        { plate: 'TW111CE', valid_until: '2026-06-01T00:00:00+02:00' },
        { plate: 'TW111CE', valid_from: '2026-09-01T00:00:00+02:00' },
      ],
    });
    const { page } = await atTheDesk();
    await goTo(page, 'Permits');
    await page.getByLabel('Number').fill('TWICE-1');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('button', { name: 'Renew, change or end' }).click();
    expect(await page.getByLabel('Plates').inputValue()).toBe('TW111CE');
    await page.getByLabel('Plates').fill('tw-111 ce, TW222CE');
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('TWICE-1 is saved.').waitFor();
    const spans = ['… → 01/06/2026, 00:00', '01/09/2026, 00:00 → …'];
    await page.getByText(`TW111CE (${spans[0]}), TW111CE (${spans[1]}), TW222CE`).waitFor();
    await page.close();
  });

  it('is added, warned about, ended, and not saved over somebody else’s change', async () => {
    const { page } = await atTheDesk();
    await goTo(page, 'Permits');
    await page.getByRole('button', { name: 'New permit' }).click();
    const form = page.locator('form').last();
    await form.getByLabel('Number').fill('NEW-1');
    await form.getByLabel('Plates').fill('NE111WW');
    await form.getByLabel('New period from').fill('2026-12-01');
    await form.getByLabel('until', { exact: true }).fill('2026-12-31');
    await form.getByLabel('Authorized until').fill('2026-12-24');
    await form.getByRole('button', { name: 'Review' }).click();
    await page.getByText('It is authorized only until 25/12/2026, 00:00').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('NEW-1 is saved.').waitFor();

    await page.getByRole('button', { name: 'Renew, change or end' }).click();
    await page.getByLabel('Ends early on').fill('2026-12-10');
    await page.getByRole('button', { name: 'Review' }).click();
    await device.titles({ ...permit('NEW-1', 'NE222WW') });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Somebody has changed it since it was shown').waitFor();
    await page.close();
  });
});

describe('A plate', () => {
  it('of an objection has its late session told in sentences, on two pages of A4 at most', async () => {
    await device.sessions({
      ...{ session_id: 'LATE-0', plate: 'XX000XX', area_code: 'S1' },
      ...{ starts_at: minutesFromNow(-5), ends_at: minutesFromNow(5) },
    });
    await device.check('LA733TE', 'S1');
    const asked = new Date().toISOString();
    await device.sessions({
      ...{ session_id: 'LATE-1', plate: 'LA733TE', area_code: 'S1' },
      ...{ starts_at: minutesFromNow(-12), ends_at: minutesFromNow(60) },
    });
    const { page, complaints } = await atTheDesk();
    await lookUp(page, 'LA733TE');
    await objectAt(page, asked);
    const story = page.getByRole('article');
    await story.getByText('No valid entitlement was known.').waitFor();
    await story.getByText('What is known today leads to another answer.').waitFor();
    await story
      .getByText(/App One \(app1\) reported session LATE-1, 12 min after it had begun: Via Roma/)
      .waitFor();
    await story.getByText(/plate check, reference badge-17: answered/).waitFor();
    await story.getByText('All sources reported on time.').waitFor();
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
    expect(pdf.match(/\/Type\s*\/Page\b/g)?.length).toBeLessThanOrEqual(2);
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('navigation').first().isVisible()).toBe(false);
    expect(await page.getByRole('button', { name: 'Print' }).isVisible()).toBe(false);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('has an objection that tells what was corrected since, and what was paid for it', async () => {
    const moved = { session_id: 'MOVE-1', area_code: 'S1', starts_at: minutesFromNow(-30), ends_at: null };
    await device.sessions({ ...moved, plate: 'MO111VE', revision: 1 });
    const asked = new Date().toISOString();
    await device.sessions({ ...moved, plate: 'MO222VE', revision: 2 });
    await device.titles({ ...permit('MOVE-2', 'MO111VE'), periods: [] });
    await device.pay({
      ...{ payment_id: 'MOVE-P', plate: 'MO111VE', terminal_code: 'METER-17', codice_tariffa: '101' },
      ...{ importo_eurocent: 2_500, collected_at: minutesFromNow(-5) },
    });
    const { page } = await atTheDesk();
    await lookUp(page, 'MO111VE');
    await objectAt(page, asked);
    const story = page.getByRole('article');
    await story.getByText(/session MOVE-1 was corrected, and no longer counts here: Via Roma/).waitFor();
    await story
      .getByText(/METER-17 reported payment MOVE-P: period .*, of permit MOVE-2, paid on /)
      .waitFor();
    await page.close();
  });

  it('that was erased has an objection that says first of all that what is missing proves nothing', async () => {
    await device.sessions({
      ...{ session_id: 'GONE-1', plate: 'GO111NE', area_code: 'S1' },
      ...{ starts_at: minutesFromNow(-30), ends_at: minutesFromNow(30) },
    });
    const asked = new Date().toISOString();
    const { page } = await atTheDesk();
    await lookUp(page, 'GO111NE');
    await page.getByRole('button', { name: 'Erase' }).click();
    await page.getByText('A session of this plate is still running or begins later: GONE-1 (S1).').waitFor();
    await page.getByLabel('Type the plate again').fill('GO111NO');
    await page.getByRole('button', { name: 'Erase for good' }).click();
    await page.getByText('What was typed is not GO111NE.').waitFor();
    await page.getByLabel('Type the plate again').fill('go 111 ne');
    await page.getByRole('button', { name: 'Erase for good' }).click();
    await page.getByText('The plate has been erased from:').waitFor();
    await objectAt(page, asked);
    const first = page.getByRole('article').getByRole('alert').first();
    await expect
      .poll(() => first.innerText())
      .toMatch(/This plate was erased at a person’s request on \d\d\/\d\d\/\d{4}, \d\d:\d\d\./);
    expect(await first.innerText()).toContain('proves nothing');
    await page.close();
  });

  it('has a session that runs, and is ended', async () => {
    await device.sessions({
      ...{ session_id: 'STOP-1', plate: 'ST111OP', area_code: 'S1' },
      ...{ starts_at: minutesFromNow(-30), ends_at: null },
    });
    const { page } = await atTheDesk();
    await lookUp(page, 'ST111OP');
    await page.getByRole('button', { name: 'End a session' }).click();
    await page.getByRole('button', { name: 'End now' }).click();
    await page.getByText('For the service it is an import of app1').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Session STOP-1 has ended.').waitFor();
    await lookUp(page, 'ST111OP');
    await page.getByText('No valid entitlement of ST111OP is known now in Torino.').waitFor();
    await page.close();
  });

  it('is given with everything that is held on it in one file', async () => {
    await device.sessions({
      ...{ session_id: 'FILE-1', plate: 'FI111LE', area_code: 'S1' },
      ...{ starts_at: minutesFromNow(-30), ends_at: minutesFromNow(30) },
    });
    const { page } = await atTheDesk(reader);
    await lookUp(page, 'FI111LE');
    await page.getByRole('button', { name: 'Export' }).click();
    const { plate, sessions } = JSON.parse(await keptBy(page, 'Make the file'));
    expect({ plate, count: sessions.length }).toEqual({ plate: 'FI111LE', count: 1 });
    await page.close();
  });
});

describe('A credential', () => {
  it('is issued, shown once, given new secrets, and revoked once its id was typed', async () => {
    const { page } = await atTheDesk();
    await goTo(page, 'Credentials');
    await page.getByRole('button', { name: 'New credential' }).click();
    await page.getByLabel('Name').fill('Barrier P1');
    await page.getByRole('button', { name: 'Issue' }).click();
    await page.getByRole('alert').getByText('scopes: ').waitFor();
    await page.getByLabel('check plates').check();
    await page.getByRole('button', { name: 'Issue' }).click();
    await page.getByText('“Barrier P1”: copy its secrets now.').waitFor();
    expect(await page.locator('.secret').allInnerTexts()).toEqual([
      expect.stringMatching(/^pev_at_/),
      expect.stringMatching(/^pev_ak_/),
    ]);
    const row = rowOf(page, 'Barrier P1');
    await row.getByRole('button', { name: 'Change' }).click();
    await page.getByRole('button', { name: 'New secrets' }).click();
    await page.getByText('The old ones pass until').waitFor();
    await goTo(page, 'City');
    await goTo(page, 'Credentials');
    expect(await page.content()).not.toContain('pev_at_');
    await row.getByRole('button', { name: 'Change' }).click();
    const id = await row.locator('code').innerText();
    await page.getByLabel('Type the id').fill('something else');
    await page.getByRole('button', { name: 'Revoke for good' }).click();
    await page.getByText(`What was typed is not ${id}.`).waitFor();
    await page.getByLabel('Type the id').fill(id);
    await page.getByRole('button', { name: 'Revoke for good' }).click();
    await page.getByText('“Barrier P1” is revoked.').waitFor();
    await expect.poll(() => row.getByRole('cell').allInnerTexts()).toContain('revoked');
    await page.close();
  });
});

describe('The city', () => {
  const edit = async (page: Page, code: string): Promise<void> => {
    await goTo(page, 'City');
    await rowOf(page, code).getByRole('button', { name: 'Edit' }).click();
  };

  it('shows what would change before it changes', async () => {
    const { page } = await atTheDesk();
    await edit(page, 'P1');
    await page.getByLabel('Exit tolerance (min)').fill('20');
    await page.getByRole('button', { name: 'Review' }).click();
    const change = page.getByRole('region', { name: 'This will change' });
    await expect.poll(() => change.getByRole('row').last().innerText()).toBe('Exit tolerance (min)\t15\t20');
    await picture(page, 'office-city');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved. It holds for every call from now on.').waitFor();
    expect(await rowOf(page, 'P1').innerText()).toContain('20');
    await page.close();
  });

  it('says what the service refuses, and keeps what was typed', async () => {
    const { page } = await atTheDesk();
    await edit(page, 'P1');
    await page.getByLabel('Exit tolerance (min)').fill('9000');
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByText(/municipalities\.0\.areas\.0\.facility\.exit_grace_minutes: /).waitFor();
    expect(await page.getByLabel('Exit tolerance (min)').inputValue()).toBe('9000');
    await page.close();
  });

  it('loses nothing when two clerks change it at once', async () => {
    const [one, two] = [await atTheDesk(), await atTheDesk()];
    for (const { page } of [one, two]) await edit(page, 'Via Roma');
    for (const [{ page }, spaces] of [
      [one, '41'],
      [two, '42'],
    ] as const) {
      await page.getByLabel('Spaces', { exact: true }).fill(spaces);
      await page.getByRole('button', { name: 'Review' }).click();
      await page.getByRole('button', { name: 'Save' }).click();
      if (page === one.page) await page.getByText('Saved.').waitFor();
    }
    await two.page.getByText('Somebody has changed the city meanwhile.').waitFor();
    const theirs = two.page.getByRole('region', { name: 'What they changed' });
    expect(await theirs.getByRole('row').last().innerText()).toBe('areas S1 capacity\t40\t41');
    await two.page.getByRole('button', { name: 'Save' }).click();
    await two.page.getByText('Saved.').waitFor();
    expect(await rowOf(two.page, 'Via Roma').last().innerText()).toContain('42');
    for (const { page } of [one, two]) await page.close();
  });
});

describe('Who may not', () => {
  it('change finds no button that does, and no import', async () => {
    await device.titles(permit('READ-1', 'RE111AD'));
    const { page } = await atTheDesk(reader);
    await page.getByText('reads only').waitFor();
    const sections = () => page.getByRole('navigation', { name: 'Office' }).getByRole('link').allInnerTexts();
    expect(await sections()).toEqual(['Plate', 'Permits', 'Payments', 'Credentials', 'City']);
    await lookUp(page, 'RE111AD');
    await page.getByRole('button', { name: 'Export' }).waitFor();
    const buttons = () => page.getByRole('button').allInnerTexts();
    expect(await buttons()).toEqual(['Sign out', 'Look up', 'Objection', 'Export']);
    await goTo(page, 'Permits');
    await page.getByLabel('Number').fill('READ-1');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('heading', { name: 'Permit READ-1' }).waitFor();
    expect(await buttons()).toEqual(['Sign out', 'Find', 'History']);
    await goTo(page, 'Payments');
    await page.getByRole('button', { name: 'Show what waits' }).click();
    expect(await buttons()).toEqual(['Sign out', 'Show what waits', 'Add up']);
    await goTo(page, 'Credentials');
    await page.getByRole('heading', { name: 'All credentials' }).waitFor();
    expect(await buttons()).toEqual(['Sign out']);
    await goTo(page, 'City');
    await page.getByRole('heading', { name: 'Areas' }).waitFor();
    expect(await buttons()).toEqual(['Sign out', 'Areas', 'Sources', 'Types of permit', 'Plans', 'Services']);
    await page.close();
  });

  it('see another tenant’s city sees nothing of it', async () => {
    await device.titles(permit('MINE-1', 'MI111NE'));
    const theirs = await tokenFor(service, ['office'], ['other', 'A944']);
    const { page } = await atTheDesk(theirs);
    await lookUp(page, 'MI111NE');
    await page.getByText('No valid entitlement of MI111NE is known now in Bologna.').waitFor();
    await goTo(page, 'Permits');
    await page.getByLabel('or plate').fill('MI111NE');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('heading', { name: 'Permits of this plate' }).waitFor();
    expect(await page.getByRole('table').getByRole('row').count()).toBe(1);
    await page.getByLabel('Municipality', { exact: true }).selectOption({ label: 'Another…' });
    await page.getByLabel('Code of the municipality').fill('L219');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('alert').getByText('Not done.').waitFor();
    expect(await page.getByRole('navigation', { name: 'Office' }).count()).toBe(0);
    await page.close();
  });

  it.each([
    ['is none at all', async () => 'pev_at_ “something”', 'This is not an access token of this service.'],
    [
      'is no office’s',
      () => tokenFor(service, ['report']),
      'The office needs the scope “office” or “office_read”.',
    ],
  ])('come in with a token that %s is told why', async (_, tokenOf, words) => {
    const { page } = await openOffice(browser, service);
    await signIn(page, await tokenOf());
    await page.getByRole('alert').getByText(words).waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    await page.close();
  });

  it('go on with a token that was revoked meanwhile is shown the way in', async () => {
    const token = await tokenFor(service, ['office']);
    const { page } = await atTheDesk(token);
    const [, id = ''] = /^pev_at_([0-9a-f]{24})/.exec(token) ?? [];
    await service.administer('POST', `/api/v2/admin/credentials/${id}/revoke`, {});
    await lookUp(page, 'AB123CD');
    await page
      .getByRole('alert')
      .getByText(/revoked/)
      .waitFor();
    await page.getByLabel('Access token').waitFor();
    await page.close();
  });
});

it('A failure is said in words, and looks like no answer', async () => {
  const { page } = await atTheDesk();
  await lookUp(page, 'AB123CD');
  await page.getByText(/entitlement/).waitFor();
  await page.route('**/api/v2/**', (route) => route.abort('internetdisconnected'));
  await lookUp(page, 'AB123CD');
  await page.getByRole('alert').getByText('The service cannot be reached.').waitFor({ timeout: 30_000 });
  expect(await page.getByText(/entitlement/).count()).toBe(0);
  await page.close();
});

describe('The office', () => {
  it.each(['en', 'it'])(
    'renews a permit and tells an objection in %s, as the documents show it',
    async (locale) => {
      const number = `DOC-${locale}`;
      await device.titles(permit(number, `DO111${locale}`));
      await device.check(`RI222${locale}`, 'S1');
      const asked = new Date().toISOString();
      await device.sessions({
        ...{ session_id: `${number}-S`, plate: `RI222${locale}`, area_code: 'S1' },
        ...{ starts_at: minutesFromNow(-12), ends_at: minutesFromNow(60) },
      });
      const { page } = await openOffice(browser, service, { locale, viewport: { width: 960, height: 900 } });
      const sendForm = (last: string): Promise<void> =>
        page
          .locator('form')
          .filter({ has: page.locator(`[name=${last}]`) })
          .locator('.main')
          .click();
      await signIn(page, office);
      await page.locator('[href="#titles"]').click();
      await page.locator('[name=number]').fill(number);
      await sendForm('number');
      await page.locator('.controls button').first().click();
      await page.locator('[name=from]').fill('2027-03-01');
      await page.locator('[name=until]').fill('2027-03-31');
      await sendForm('from');
      await page.locator('.card').waitFor();
      await picture(page, `office-permit-${locale}`);
      await page.locator('.card .main').click();
      await page.getByText(locale === 'it' ? `${number} è salvato.` : `${number} is saved.`).waitFor();

      await page.locator('[href="#plate"]').click();
      await page.locator('[name=plate]').fill(`RI222${locale}`);
      await sendForm('plate');
      await page.locator('.controls button').first().click();
      const { date, time } = onTheClock(asked);
      await page.locator('[name=date]').fill(date);
      await page.locator('[name=time]').fill(time);
      await sendForm('date');
      await page
        .getByText(locale === 'it' ? 'Non risultava alcun titolo valido.' : 'No valid entitlement was known.')
        .waitFor();
      await picture(page, `office-objection-${locale}`);
      await page.close();
    },
  );

  const SECTIONS = ['#plate', '#titles', '#import', '#payments', '#credentials', '#city'];
  const LOOKS = (['light', 'dark'] as const).flatMap((colorScheme) =>
    [390, 1_280].flatMap((width) =>
      (['en', 'it'] as const).map((locale) => ({ colorScheme, width, locale })),
    ),
  );

  it.each(LOOKS)('is readable in $colorScheme colours, $width pixels wide, in $locale', async (look) => {
    const { colorScheme, width, locale } = look;
    await device.titles(permit('LOOK-1', 'LO111OK'));
    const opened = await openOffice(browser, service, {
      colorScheme,
      locale,
      viewport: { width, height: 900 },
    });
    const { page, complaints } = opened;
    expect(await accessibilityIssues(opened)).toEqual([]);
    await signIn(page, office);
    for (const section of SECTIONS) {
      await page.locator(`.tabs [href="${section}"]`).click();
      await page.locator(`.tabs [href="${section}"][aria-current]`).waitFor();
      if (section === '#plate') {
        await page.locator('[name=plate]').fill('LO111OK');
        await page.keyboard.press('Enter');
        await page.locator('.notice + ul').waitFor();
      }
      if (section === '#credentials') await page.locator('.data').waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      expect(await accessibilityIssues(opened), section).toEqual([]);
      await picture(page, `office-${section.slice(1)}-${colorScheme}-${width}-${locale}`);
    }
    expect(complaints).toEqual([]);
    await page.close();
  });
});
