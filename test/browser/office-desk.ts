import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Locator, Page } from 'playwright-core';
import type { Watched } from './chromium.ts';
import { SECRETS, type StartedService } from './started-service.ts';

const MINUTE_MS = 60_000;

/** An instant so many minutes from now. */
const minutesFromNow = (minutes: number): string => new Date(Date.now() + minutes * MINUTE_MS).toISOString();

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

/** A device of the city, which sends what a test needs to be there. */
export async function deviceOf(service: StartedService) {
  const token = await service.tokenOf({ scopes: ['import', 'plate_check', 'subscription_payments'] });
  const send = async (path: string, body: string, type = 'application/json'): Promise<string> => {
    const headers = {
      Authorization: `Bearer ${token}`,
      'Content-Type': type,
      'Officer-Reference': 'badge-17',
    };
    const answer = await fetch(service.address + path, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return answer.headers.get('X-Request-Id') ?? '';
  };
  /** A check's row of the log is written behind its answer. */
  const untilLogged = async (requestId: string): Promise<void> => {
    const call = `${service.address}/api/v2/admin/calls/${requestId}`;
    const headers = { Authorization: `Bearer ${SECRETS.ADMIN_TOKEN}` };
    while (!(await fetch(call, { headers })).ok) await sleep(50);
  };
  const lines = (records: readonly object[]): string =>
    records.map((record) => `${JSON.stringify(record)}\n`).join('');
  return {
    sessions: (...records: readonly object[]) =>
      send('/api/v2/imports/sessions?source_code=app1', lines(records), 'application/x-ndjson'),
    titles: (...records: readonly object[]) =>
      send('/api/v2/imports/subscriptions', lines(records), 'application/x-ndjson'),
    check: async (plate: string, area_code: string) =>
      untilLogged(await send('/api/v2/parking/check-plate', JSON.stringify({ plate, area_code }))),
    pay: (payment: object) =>
      send(
        '/api/v2/parking-meters/subscription-payments',
        JSON.stringify({ municipality_code: 'L219', ...payment }),
      ),
  };
}

/** A session of a plate in Via Roma that began so many minutes ago and ends in so many. */
export const parking = (session_id: string, plate: string, ago: number, ends: number | null): object => ({
  ...{ session_id, plate, area_code: 'S1', starts_at: minutesFromNow(-ago) },
  ends_at: ends === null ? null : minutesFromNow(ends),
});

/** A payment of a month at a meter, just now. */
export const monthPaid = (payment_id: string, plate: string) => ({
  ...{ payment_id, plate, terminal_code: 'METER-17', codice_tariffa: '101', importo_eurocent: 2_500 },
  collected_at: minutesFromNow(-5),
});

/** A permit of residents that ends soon. */
export const permit = (subscription_number: string, plate: string): object => ({
  ...{ subscription_number, type: 'RES', plates: [{ plate }], approval: 'approved', areas: ['S1'] },
  authorized_until: minutesFromNow(60 * 24 * 400),
  periods: [{ starts_at: '2026-01-01T00:00:00+01:00', ends_at: minutesFromNow(60 * 24 * 3) }],
});

/** A clerk at the page. */
export class Clerk {
  readonly page: Page;
  readonly complaints: readonly string[];

  constructor({ page, complaints }: Watched) {
    this.page = page;
    this.complaints = complaints;
  }

  /** Comes in, in either language. */
  async signIn(token: string): Promise<void> {
    await this.page.getByLabel(/^(Access token|Token di accesso)$/).fill(token);
    await this.page.getByLabel(/^(Your reference|La tua sigla)$/).fill('ufficio-3');
    await this.page.keyboard.press('Enter');
  }

  goTo(section: string): Promise<void> {
    return this.page.getByRole('link', { name: section, exact: true }).click();
  }

  press(button: string | RegExp): Promise<void> {
    return this.page.getByRole('button', { name: button, exact: true }).click();
  }

  /** Fills fields by their labels. */
  async fill(fields: Readonly<Record<string, string>>): Promise<void> {
    for (const [label, text] of Object.entries(fields)) {
      await this.page.getByLabel(label, { exact: true }).last().fill(text);
    }
  }

  see(text: string | RegExp): Promise<void> {
    return this.page.getByText(text).first().waitFor();
  }

  /** Sees that something was not done, and why. */
  seeRefused(why: string | RegExp): Promise<void> {
    return this.page.getByRole('alert').getByText(why).waitFor({ timeout: 30_000 });
  }

  /** A row of a table, by the text of one of its cells. */
  row(text: string): Locator {
    return this.page.getByRole('row').filter({ hasText: text });
  }

  buttons(): Promise<string[]> {
    return this.page.getByRole('button').allInnerTexts();
  }

  async lookUp(plate: string): Promise<void> {
    await this.fill({ Plate: plate });
    await this.press('Look up');
  }

  async findPermit(number: string): Promise<void> {
    await this.goTo('Permits');
    await this.fill({ Number: number });
    await this.press('Find');
    await this.page.getByRole('heading', { name: `Permit ${number}` }).waitFor();
  }

  /** Asks for an objection, in either language. */
  async object(at: string): Promise<Locator> {
    await this.press(/^(Objection|Ricorso)$/);
    const { date, time } = onTheClock(at);
    await this.page.locator('[name=date]').fill(date);
    await this.page.locator('[name=time]').fill(time);
    await this.press(/^(Draw up|Redigi)$/);
    return this.page.getByRole('article');
  }

  /** The text of a file that the page gives the browser to keep. */
  async keep(button: string): Promise<string> {
    const [download] = await Promise.all([this.page.waitForEvent('download'), this.press(button)]);
    return readFileSync(await download.path(), 'utf8');
  }
}
