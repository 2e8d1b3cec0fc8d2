import { describe, expect, it } from 'vitest';
import { picture, watchToken } from '../browser/chromium.ts';
import { accessibilityIssues } from '../browser/embedded.ts';
import {
  Clerk,
  deviceOf,
  foundCities,
  monthPaid,
  onTheClock,
  parking,
  permit,
} from '../browser/office-desk.ts';
import { startWorld } from '../browser/world.ts';

let device: Awaited<ReturnType<typeof deviceOf>>;
let office: string;
let reader: string;
const world = startWorld(async (service) => {
  await foundCities(service);
  device = await deviceOf(service);
  // Its source has been heard before any test asks.
  await device.sessions(parking('FIRST-1', 'XX000XX', 5, 5));
  office = await service.tokenOf({ scopes: ['office'] });
  reader = await service.tokenOf({ scopes: ['office_read'] });
});

const atTheDoor = async (options: Parameters<typeof world.open>[1] = {}): Promise<Clerk> =>
  new Clerk(await world.open('/office', options));

const atTheDesk = async (token = office): Promise<Clerk> => {
  const clerk = await atTheDoor();
  await clerk.signIn(token);
  await clerk.page.getByRole('navigation', { name: 'Office' }).waitFor();
  return clerk;
};

describe('A clerk’s day', () => {
  it('goes from the token to the closing of payments, and names the clerk on every call', async () => {
    await device.sessions(parking('DAY-1', 'DA111AY', 30, 60));
    const payment = monthPaid('DAY-P', 'ZZ999ZZ');
    await device.pay(payment);
    const watched = await world.open('/office');
    const leaked = watchToken(watched, office);
    const clerk = new Clerk(watched);
    const { page } = clerk;
    const officers = new Set<string | undefined>();
    page.on('request', (request) => {
      const { authorization, 'officer-reference': officer } = request.headers();
      if (authorization !== undefined) officers.add(officer);
    });
    await clerk.signIn(office);
    await clerk.lookUp('da 111 ay');
    await clerk.see('DA111AY has a valid entitlement now in Torino.');
    await clerk.see(/session DAY-1 of app1, Via Roma \(S1\), .*: valid/);
    await clerk.goTo('Payments');
    await clerk.row('DAY-P').getByRole('button', { name: 'Settle' }).click();
    await clerk.fill({ Note: 'Given back at the counter' });
    await clerk.press('Record');
    await clerk.see('Payment DAY-P is settled.');
    await expect.poll(() => clerk.row('DAY-P').count()).toBe(0);
    await clerk.fill({ Day: onTheClock(payment.collected_at).date });
    await clerk.press('Add up');
    const closed = () => clerk.row('METER-17').getByRole('cell').allInnerTexts();
    await expect.poll(closed).toContain('€25.00');

    expect([...officers]).toEqual(['ufficio-3']);
    expect(await leaked()).toEqual([]);
    expect(page.url()).toBe(`${world.service.address}/office#payments`);
    // The tab goes on where it was, until somebody signs out.
    await page.reload();
    await page.getByRole('heading', { name: 'Closing of a day' }).waitFor();
    await clerk.press('Sign out');
    await page.getByLabel('Access token').waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });

  it('can be worked with the keyboard alone', async () => {
    await device.titles(permit('KEY-1', 'KE111YS'));
    const clerk = await atTheDoor();
    const { keyboard } = clerk.page;
    const isOn = (name: string): Promise<boolean> =>
      clerk.page.evaluate((text) => {
        const focused = document.activeElement;
        const label =
          focused instanceof HTMLInputElement ? focused.labels?.[0]?.textContent : focused?.textContent;
        return label?.trim() === text;
      }, name);
    for (const [to, ...keys] of [
      ['Access token', office],
      ['Your reference', 'ufficio-3', 'Enter'],
      ['Permits', 'Enter'],
      ['Number', 'KEY-1', 'Enter'],
      ['Renew, change or end', 'Space'],
      ['Plates', 'End', ', KE222YS', 'Enter'],
      ['Save', 'Enter'],
    ] as const) {
      const reached = async (): Promise<boolean> => {
        if (!(await isOn(to))) await keyboard.press('Tab');
        return isOn(to);
      };
      await expect.poll(reached, { interval: 1 }).toBe(true);
      for (const key of keys) await (/^[A-Z][a-z]+$/.test(key) ? keyboard.press(key) : keyboard.type(key));
    }
    await clerk.see('KEY-1 is saved.');
    await clerk.see('KE111YS, KE222YS');
  });
});

describe('A permit', () => {
  it.each(['en', 'it'])(
    'is renewed by its plate, and its history shows both versions, in %s',
    async (locale) => {
      const number = `RES-${locale}`;
      await device.titles(permit(number, `RE111${locale}`));
      const clerk = await atTheDoor({ locale, viewport: { width: 960, height: 900 } });
      const { page } = clerk;
      await clerk.signIn(office);
      await page.locator('[href="#titles"]').click();
      await page.locator('[name=plate]').fill(`RE111${locale}`);
      await page.keyboard.press('Enter');
      await clerk.press(number);
      await clerk.press(/^(Renew, change or end|Rinnova, modifica o termina)$/);
      await page.locator('[name=from]').fill('2027-03-01');
      await page.locator('[name=until]').fill('2027-03-31');
      await page.keyboard.press('Enter');
      const change = page.locator('.card');
      await change.getByText('01/03/2027, 00:00 → 01/04/2027, 00:00').waitFor();
      // Its plates and areas are in no row: they stay.
      expect(await change.getByRole('row').count()).toBe(2);
      await picture(page, `office-permit-${locale}`);
      await change.getByRole('button').click();
      await clerk.see(locale === 'it' ? `${number} è salvato.` : `${number} is saved.`);
      await clerk.press(/^(History|Cronologia)$/);
      await expect.poll(() => page.getByRole('table').last().getByRole('row').count()).toBe(3);
    },
  );

  it('keeps the validity of each of its plates, also of one that came back', async () => {
    await device.titles({
      ...permit('TWICE-1', 'TW111CE'),
      plates: [
        { plate: 'TW111CE', valid_until: '2026-06-01T00:00:00+02:00' },
        { plate: 'TW111CE', valid_from: '2026-09-01T00:00:00+02:00' },
      ],
    });
    const clerk = await atTheDesk();
    await clerk.findPermit('TWICE-1');
    await clerk.press('Renew, change or end');
    expect(await clerk.page.getByLabel('Plates').inputValue()).toBe('TW111CE');
    await clerk.fill({ Plates: 'tw-111 ce, TW222CE' });
    await clerk.press('Review');
    await clerk.press('Save');
    await clerk.see('TWICE-1 is saved.');
    const spans = ['… → 01/06/2026, 00:00', '01/09/2026, 00:00 → …'];
    await clerk.see(`TW111CE (${spans[0]}), TW111CE (${spans[1]}), TW222CE`);
  });

  it('is added, warned about, ended, and not saved over somebody else’s change', async () => {
    const clerk = await atTheDesk();
    await clerk.goTo('Permits');
    await clerk.press('New permit');
    await clerk.fill({ Number: 'NEW-1', Plates: 'NE111WW', 'New period from': '2026-12-01' });
    await clerk.press('Review');
    await clerk.seeRefused('A period has a first and a last day.');
    await clerk.fill({ until: '2026-12-31', 'Authorized until': '2026-12-24' });
    await clerk.press('Review');
    await clerk.see('It will not hold in all of the new period: Authorized until 25/12/2026, 00:00.');
    await clerk.press('Save');
    await clerk.see('NEW-1 is saved.');

    await clerk.press('Renew, change or end');
    await clerk.fill({ 'Ends early on': '2026-12-10' });
    await clerk.press('Review');
    await device.titles(permit('NEW-1', 'NE222WW'));
    await clerk.press('Save');
    await clerk.seeRefused('Somebody has changed it since it was shown');
  });
});

describe('A plate', () => {
  it.each([
    ['en', 'No valid entitlement was known.', 'What is known today leads to another answer.'],
    ['it', 'Non risultava alcun titolo valido.', 'Ciò che si sa oggi porta a un’altra risposta.'],
  ])(
    'of an objection has its late session told in sentences, in %s, on two pages of A4',
    async (locale, then, now) => {
      const plate = `LA${locale === 'it' ? 1 : 2}33TE`;
      await device.check(plate, 'S1');
      const asked = new Date().toISOString();
      await device.sessions(parking(`LATE-${locale}`, plate, 12, 60));
      const clerk = await atTheDoor({ locale, viewport: { width: 960, height: 900 } });
      const { page } = clerk;
      await clerk.signIn(office);
      await page.locator('[name=plate]').fill(plate);
      await page.keyboard.press('Enter');
      const story = await clerk.object(asked);
      await story.getByText(then).waitFor();
      await story.getByText(now).waitFor();
      if (locale === 'en') {
        const arrived = /App One \(app1\) reported session LATE-en, 12 min after it had begun: Via Roma/;
        await story.getByText(arrived).waitFor();
        await story.getByText(/plate check, reference badge-17: answered/).waitFor();
        await story.getByText('All sources reported on time.').waitFor();
      }
      await picture(page, `office-objection-${locale}`);
      const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
      expect(pdf.match(/\/Type\s*\/Page\b/g)?.length).toBeLessThanOrEqual(2);
      await page.emulateMedia({ media: 'print' });
      expect(await page.getByRole('navigation').first().isVisible()).toBe(false);
      expect(await page.locator('.story button').isVisible()).toBe(false);
      expect(clerk.complaints).toEqual([]);
    },
  );

  it('has an objection that tells what was corrected since, and what was paid for it', async () => {
    const moved = parking('MOVE-1', 'MO111VE', 30, null);
    await device.sessions({ ...moved, revision: 1 });
    const asked = new Date().toISOString();
    await device.sessions({ ...moved, plate: 'MO222VE', revision: 2 });
    await device.titles({ ...permit('MOVE-2', 'MO111VE'), periods: [] });
    await device.pay(monthPaid('MOVE-P', 'MO111VE'));
    const clerk = await atTheDesk();
    await clerk.lookUp('MO111VE');
    const story = await clerk.object(asked);
    await story.getByText(/session MOVE-1 was corrected, and no longer counts here: Via Roma/).waitFor();
    await story
      .getByText(/METER-17 reported payment MOVE-P: period .*, of permit MOVE-2, paid on /)
      .waitFor();
    await clerk.goTo('Permits');
    await clerk.findPermit('MOVE-2');
    await clerk.page.getByRole('row', { name: /→ .* payment$/ }).waitFor();
  });

  it('has an objection that never says that nothing came, where the list of what came was cut', async () => {
    const plate = 'MA111NY';
    await device.sessions(
      ...Array.from({ length: 200 }, (_, index) => parking(`MANY-${index}`, plate, 600, -300)),
    );
    const clerk = await atTheDesk();
    await clerk.lookUp(plate);
    // Its row is written a second later: in the form's whole seconds too, they were there before.
    await device.check(plate, 'S1');
    const asked = new Date().toISOString();
    await device.sessions(parking('MANY-LATE', plate, 12, 60));
    const story = await clerk.object(asked);
    await story.getByText('What is known today leads to another answer.').waitFor();
    await story.getByRole('alert').getByText('Only the first 200 of 201 records are told here').waitFor();
    expect(await story.getByText('Nothing has arrived since.').count()).toBe(0);
  });

  it('that was erased has an objection that says first of all that what is missing proves nothing', async () => {
    await device.sessions(parking('GONE-1', 'GO111NE', 30, 30));
    const asked = new Date().toISOString();
    const clerk = await atTheDesk();
    await clerk.lookUp('GO111NE');
    await clerk.press('Erase');
    await clerk.see('If a session of this plate is still running, wait until it has ended');
    await clerk.fill({ 'Type the plate again': 'GO111NO' });
    await clerk.press('Erase for good');
    await clerk.seeRefused('What was typed is not GO111NE.');
    await clerk.fill({ 'Type the plate again': 'go 111 ne' });
    await clerk.press('Erase for good');
    await clerk.see('The plate has been erased from:');
    const first = (await clerk.object(asked)).getByRole('alert').first();
    await expect
      .poll(() => first.innerText())
      .toMatch(/was erased at a person’s request on \d\d\/\d\d\/\d{4}, \d\d:\d\d\. .*proves nothing/);
  });

  it('is given with everything that is held on it in one file', async () => {
    await device.sessions(parking('FILE-1', 'FI111LE', 30, 30));
    const clerk = await atTheDesk(reader);
    await clerk.lookUp('FI111LE');
    const { plate, sessions } = JSON.parse(await clerk.keep('Export'));
    expect({ plate, count: sessions.length }).toEqual({ plate: 'FI111LE', count: 1 });
  });
});

it('A credential is issued, shown once, given new secrets, and revoked once its id was typed', async () => {
  const clerk = await atTheDesk();
  const { page } = clerk;
  await clerk.goTo('Credentials');
  await clerk.press('New credential');
  await clerk.fill({ Name: 'Barrier P1' });
  await clerk.press('Issue');
  await clerk.seeRefused(/^scopes: /);
  await page.getByLabel('check plates').check();
  await clerk.press('Issue');
  await clerk.see('“Barrier P1”: copy its secrets now.');
  const secrets = page.locator('.secret');
  const isSecret = [expect.stringMatching(/^pev_at_/), expect.stringMatching(/^pev_ak_/)];
  expect(await secrets.allInnerTexts()).toEqual(isSecret);
  const row = clerk.row('Barrier P1');
  await row.getByRole('button', { name: 'Change' }).click();
  await clerk.press('New secrets');
  await clerk.see('The old ones pass until');
  await clerk.goTo('City');
  await clerk.goTo('Credentials');
  expect(await page.content()).not.toContain('pev_at_');
  await row.getByRole('button', { name: 'Change' }).click();
  const id = await row.locator('code').innerText();
  await clerk.fill({ 'Type the id': 'something else' });
  await clerk.press('Revoke for good');
  await clerk.seeRefused(`What was typed is not ${id}.`);
  await clerk.fill({ 'Type the id': id });
  await clerk.press('Revoke for good');
  await clerk.see('“Barrier P1” is revoked.');
  await expect.poll(() => row.getByRole('cell').allInnerTexts()).toContain('revoked');
});

describe('The city', () => {
  const edit = async (clerk: Clerk, code: string): Promise<void> => {
    await clerk.goTo('City');
    await clerk.row(code).getByRole('button', { name: 'Edit' }).click();
  };
  const lastRow = (clerk: Clerk, table: string): Promise<string> =>
    clerk.page.getByRole('region', { name: table }).getByRole('row').last().innerText();

  it('says what the service refuses, keeps what was typed, and shows what would change before it does', async () => {
    const clerk = await atTheDesk();
    await edit(clerk, 'P1');
    await clerk.fill({ 'Exit tolerance (min)': '9000' });
    await clerk.press('Review');
    await clerk.seeRefused(/municipalities\.0\.areas\.0\.facility\.exit_grace_minutes: /);
    expect(await clerk.page.getByLabel('Exit tolerance (min)').inputValue()).toBe('9000');
    await clerk.fill({ 'Exit tolerance (min)': '20' });
    await clerk.press('Review');
    await expect.poll(() => lastRow(clerk, 'This will change')).toBe('Exit tolerance (min)\t15\t20');
    await picture(clerk.page, 'office-city');
    await clerk.press('Save');
    await clerk.see('Saved. It holds for every call from now on.');
    expect(await clerk.row('P1').innerText()).toContain('20');
  });

  it('takes its own holidays, and says where nothing would change', async () => {
    const clerk = await atTheDesk();
    await edit(clerk, 'P1');
    await clerk.press('Review');
    await clerk.see('Nothing would change.');
    await clerk.press('Services');
    await clerk.press('Edit');
    await clerk.fill({ Holidays: '2026-12-25, 2026-12-26' });
    await clerk.press('Review');
    await expect.poll(() => lastRow(clerk, 'This will change')).toContain('2026-12-25, 2026-12-26');
  });

  it('takes a new area with what the service switches on', async () => {
    const clerk = await atTheDesk();
    await clerk.goTo('City');
    await clerk.press('Add');
    await clerk.fill({ Code: 'P2', Name: 'Parcheggio Nord', Spaces: '80' });
    await clerk.page.getByLabel('Kind').selectOption('car park');
    await clerk.press('Review');
    for (const on of ['Switched on', 'Gate service on']) {
      await clerk.row(on).getByRole('cell', { name: 'yes', exact: true }).waitFor();
    }
    await clerk.press('Save');
    await clerk.row('Parcheggio Nord').waitFor();
  });

  it('loses nothing when two clerks change it at once', async () => {
    const [one, two] = [await atTheDesk(), await atTheDesk()];
    for (const clerk of [one, two]) await edit(clerk, 'Via Roma');
    for (const [clerk, spaces] of [
      [one, '41'],
      [two, '42'],
    ] as const) {
      await clerk.fill({ Spaces: spaces });
      await clerk.press('Review');
      await clerk.press('Save');
      if (clerk === one) await clerk.see('Saved.');
    }
    await two.seeRefused('Somebody has changed the city meanwhile.');
    expect(await lastRow(two, 'This will change')).toBe('Spaces\t41\t42');
    await two.press('Save');
    await two.see('Saved.');
    expect(await two.row('Via Roma').last().innerText()).toContain('42');
  });
});

describe('Who may not', () => {
  it('change finds no button that does, and no import', async () => {
    await device.titles(permit('READ-1', 'RE111AD'));
    const clerk = await atTheDesk(reader);
    await clerk.see('reads only');
    const sections = clerk.page.getByRole('navigation', { name: 'Office' }).getByRole('link');
    expect(await sections.allInnerTexts()).toEqual(['Plate', 'Permits', 'Payments', 'Credentials', 'City']);
    await clerk.lookUp('RE111AD');
    await clerk.page.getByRole('button', { name: 'Export' }).waitFor();
    expect(await clerk.buttons()).toEqual(['Sign out', 'Look up', 'Objection', 'Export']);
    await clerk.findPermit('READ-1');
    expect(await clerk.buttons()).toEqual(['Sign out', 'Find', 'History']);
    await clerk.goTo('Payments');
    await clerk.page.getByRole('heading', { name: 'Payments to settle' }).waitFor();
    expect(await clerk.buttons()).toEqual(['Sign out', 'Add up']);
    await clerk.goTo('Credentials');
    await clerk.page.getByRole('heading', { name: 'All credentials' }).waitFor();
    expect(await clerk.buttons()).toEqual(['Sign out']);
    await clerk.goTo('City');
    await clerk.page.getByRole('heading', { name: 'Areas' }).waitFor();
    const kinds = ['Areas', 'Sources', 'Types of permit', 'Plans', 'Services'];
    expect(await clerk.buttons()).toEqual(['Sign out', ...kinds]);
  });

  it('see another tenant’s city sees nothing of it', async () => {
    await device.titles(permit('MINE-1', 'MI111NE'));
    const clerk = await atTheDesk(
      await world.service.tokenOf({ scopes: ['office'], tenant: 'other', municipalities: ['A944'] }),
    );
    const { page } = clerk;
    await clerk.lookUp('MI111NE');
    await clerk.see('No valid entitlement of MI111NE is known now in Bologna.');
    await clerk.goTo('Permits');
    await clerk.fill({ 'or plate': 'MI111NE' });
    await clerk.press('Find');
    await page.getByRole('heading', { name: 'Permits of this plate' }).waitFor();
    expect(await page.getByRole('table').count()).toBe(0);
    const cities = page.getByLabel('Municipality', { exact: true }).getByRole('option');
    expect(await cities.allInnerTexts()).toEqual(['Bologna (A944)']);
  });

  it.each([
    ['is none at all', async () => 'pev_at_ “something”', 'This is not an access token of this service.'],
    [
      'is no office’s',
      () => world.service.tokenOf({ scopes: ['report'] }),
      'The office needs the scope “office”',
    ],
  ])('come in with a token that %s is told why', async (_, tokenOf, words) => {
    const clerk = await atTheDoor();
    await clerk.signIn(await tokenOf());
    await clerk.seeRefused(words);
    expect(await clerk.page.evaluate(() => sessionStorage.length)).toBe(0);
  });

  it('go on with a token that was revoked meanwhile is shown the way in', async () => {
    const token = await world.service.tokenOf({ scopes: ['office'] });
    const clerk = await atTheDesk(token);
    const [, id = ''] = /^pev_at_([0-9a-f]{24})/.exec(token) ?? [];
    await world.service.administer('POST', `/api/v2/admin/credentials/${id}/revoke`, {});
    await clerk.lookUp('AB123CD');
    await clerk.seeRefused(/revoked/);
    await clerk.page.getByLabel('Access token').waitFor();
  });

  it('come back with a token that is refused by now leaves it nowhere', async () => {
    const token = await world.service.tokenOf({ scopes: ['office'] });
    const { page } = await atTheDesk(token);
    const [, id = ''] = /^pev_at_([0-9a-f]{24})/.exec(token) ?? [];
    await world.service.administer('PATCH', `/api/v2/admin/credentials/${id}`, { scopes: ['report'] });
    await page.reload();
    await page.getByRole('alert').getByText('The office needs the scope “office”').waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });
});

it('A failure is said in words, and looks like no answer', async () => {
  const clerk = await atTheDesk();
  await clerk.lookUp('AB123CD');
  await clerk.see(/entitlement/);
  await clerk.page.route('**/api/v2/**', (route) => route.abort('internetdisconnected'));
  await clerk.lookUp('AB123CD');
  await clerk.seeRefused('The service cannot be reached.');
  expect(await clerk.page.getByText(/entitlement/).count()).toBe(0);
});

const LOOKS = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [390, 1_280].flatMap((width) => ['en', 'it'].map((locale) => ({ colorScheme, width, locale }))),
);

it.each(LOOKS)('It is readable in $colorScheme colours, $width pixels wide, in $locale', async (look) => {
  const { width, ...options } = look;
  await device.titles(permit('LOOK-1', 'LO111OK'));
  const clerk = await atTheDoor({ ...options, viewport: { width, height: 900 } });
  const { page } = clerk;
  expect(await accessibilityIssues(clerk)).toEqual([]);
  await clerk.signIn(office);
  for (const section of ['plate', 'titles', 'import', 'payments', 'credentials', 'city']) {
    await page.locator(`.tabs [href="#${section}"]`).click();
    await page.locator(`.tabs [href="#${section}"][aria-current]`).waitFor();
    if (section === 'plate') {
      await page.locator('[name=plate]').fill('LO111OK');
      await page.keyboard.press('Enter');
      await page.locator('.notice + ul').waitFor();
    }
    // What is loaded at once.
    if (section === 'credentials') await page.locator('.data').waitFor();
    if (section === 'payments')
      await page.getByText(/^(Payments to settle|Pagamenti da definire)$/).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    expect(await accessibilityIssues(clerk), section).toEqual([]);
    await picture(page, `office-${section}-${Object.values(look).join('-')}`);
  }
  expect(clerk.complaints).toEqual([]);
});
