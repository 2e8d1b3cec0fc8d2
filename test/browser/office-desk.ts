import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { type Watched, watchedPage } from './chromium.ts';
import type { StartedService } from './started-service.ts';

const MINUTE_MS = 60_000;

/** An instant so many minutes from now. */
export const minutesFromNow = (minutes: number): string =>
  new Date(Date.now() + minutes * MINUTE_MS).toISOString();

/** A date, and a time to the second, as a form's fields take them on the clock of Rome. */
export function onTheClock(at: string): { readonly date: string; readonly time: string } {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: 'Europe/Rome',
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  const [date = '', time = ''] = format.format(Date.parse(at)).split(' ');
  return { date, time };
}

/** Two tenants, each with a city. */
export async function foundCities(service: StartedService): Promise<void> {
  const city = (code: string, name: string, tenant: string) => ({
    ...{ code, name, timezone: 'Europe/Rome', tenant },
    areas: [
      { code: 'S1', name: 'Via Roma', area_type: 'street', capacity: 40 },
      {
        ...{ code: 'P1', name: 'Parcheggio Centro', area_type: 'facility', capacity: 300 },
        facility: { subscription_access: true, entry_grace_minutes: 10, exit_grace_minutes: 15 },
      },
    ],
    sources: [
      { code: 'app1', name: 'App One', category: 'app' },
      { code: 'meters', name: 'Parking meters', category: 'meter', is_system: true },
    ],
    subscription_types: [{ code: 'RES', name: 'Residents' }],
    plans: [
      {
        ...{ codice_tariffa: '101', subscription_type: 'RES', importo_eurocent: 2_500, duration: 'P1M' },
        descrizione: 'RESIDENTI MENSILE',
      },
    ],
  });
  await service.administer('PUT', '/api/v2/admin/configuration', {
    tenants: [
      { code: 'acme', name: 'Acme Parking' },
      { code: 'other', name: 'Other Parking' },
    ],
    municipalities: [city('L219', 'Torino', 'acme'), city('A944', 'Bologna', 'other')],
  });
}

/** The token of a new credential of a tenant. */
export async function tokenFor(
  service: StartedService,
  scopes: readonly string[],
  [tenant, municipality] = ['acme', 'L219'],
): Promise<string> {
  const name = scopes.join(', ');
  const input = { tenant, name, scopes, municipalities: [municipality] };
  return String((await service.administer('POST', '/api/v2/admin/credentials', input)).access_token);
}

/** A device of the city, which sends what a test needs to be there. */
export async function deviceOf(service: StartedService) {
  const token = await tokenFor(service, ['import', 'plate_check', 'subscription_payments']);
  const send = async (path: string, body: string, type = 'application/json'): Promise<void> => {
    const headers = {
      Authorization: `Bearer ${token}`,
      'Content-Type': type,
      'Officer-Reference': 'badge-17',
    };
    const answer = await fetch(service.address + path, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  };
  const lines = (records: readonly object[]): string =>
    records.map((record) => `${JSON.stringify(record)}\n`).join('');
  return {
    sessions: (...records: readonly object[]) =>
      send('/api/v2/imports/sessions?source_code=app1', lines(records), 'application/x-ndjson'),
    titles: (...records: readonly object[]) =>
      send('/api/v2/imports/subscriptions', lines(records), 'application/x-ndjson'),
    check: (plate: string, area_code: string) =>
      send('/api/v2/parking/check-plate', JSON.stringify({ plate, area_code })),
    pay: (payment: object) =>
      send(
        '/api/v2/parking-meters/subscription-payments',
        JSON.stringify({ municipality_code: 'L219', ...payment }),
      ),
  };
}

/** A permit of residents that ends soon. */
export const permit = (subscription_number: string, plate: string): object => ({
  ...{ subscription_number, type: 'RES', plates: [{ plate }], approval: 'approved', areas: ['S1'] },
  authorized_until: minutesFromNow(60 * 24 * 400),
  periods: [{ starts_at: '2026-01-01T00:00:00+01:00', ends_at: minutesFromNow(60 * 24 * 3) }],
});

/** The page with its way in. */
export async function openOffice(
  browser: Browser,
  service: StartedService,
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const watched = await watchedPage(browser, [service.address], { locale: 'en-GB', ...options });
  await watched.page.goto(`${service.address}/office`);
  return watched;
}

/** Comes in, in either language. */
export async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel(/^(Access token|Token di accesso)$/).fill(token);
  await page.getByLabel(/^(Your reference|La tua sigla)$/).fill('ufficio-3');
  await page.keyboard.press('Enter');
}

export const goTo = (page: Page, section: string): Promise<void> =>
  page.getByRole('link', { name: section, exact: true }).click();

/** A row of a table, by the text of one of its cells. */
export const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
