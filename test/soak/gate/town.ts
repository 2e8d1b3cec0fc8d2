import { setTimeout as wait } from 'node:timers/promises';
import { createClient } from '../../../clients/client/index.ts';
import { ADMIN_TOKEN } from '../../bench/runtime.ts';
import type { Random } from '../../domain/random.ts';

/** A right that somebody bought: when it was sent to the service, when the service had it, and when it counts. */
export interface Title {
  readonly id: string;
  readonly from: number;
  readonly until: number;
  /** From when on some list may have it; every list made from `storedAt` on has it. */
  readonly sentAt: number;
  storedAt: number;
  /** When its first change was sent. From then on it is unsettled: nothing is concluded from it. */
  changedAt: number;
}

export interface Car {
  readonly plate: string;
  readonly titles: Title[];
}

const MUNICIPALITY = 'H501';
export const AREA = 'P1';
const CARS = 4_000;
/** Bought at once, each time. */
const PURCHASES = 25;
const EXIT_GRACE_MINUTES = 0;

/** Who may park, by our own books: cars, what they bought, and when the service heard of it. */
export class Town {
  readonly cars: readonly Car[];
  readonly #random: Random;
  readonly #address: () => string | null;
  #token = '';
  #next = 0;

  constructor(random: Random, address: () => string | null) {
    this.#random = random;
    this.#address = address;
    this.cars = Array.from({ length: CARS }, (_, index) => ({ plate: `FI${index}RE`, titles: [] }));
  }

  /** Configures the service. @returns the token of the gates */
  async found(): Promise<string> {
    const office = createClient({ baseUrl: this.#address() ?? '', administratorToken: ADMIN_TOKEN });
    const configured = await office.putConfiguration({
      tenants: [{ code: 'acme', name: 'Acme' }],
      municipalities: [
        {
          ...{ code: MUNICIPALITY, name: 'Roma', timezone: 'Europe/Rome', tenant: 'acme' },
          areas: [
            {
              ...{ code: AREA, name: 'Centro', area_type: 'facility', capacity: 300 },
              facility: { subscription_access: true, exit_grace_minutes: EXIT_GRACE_MINUTES },
            },
          ],
          sources: [{ code: 'app', name: 'App', category: 'app' }],
          subscription_types: [{ code: 'RES', name: 'Residents' }],
        },
      ],
    });
    if (!configured.ok) throw new Error(`the town was not configured: ${configured.code}`);
    const issue = async (scopes: readonly string[]): Promise<string> => {
      const body = {
        ...{ tenant: 'acme', name: 'fire', scopes, municipalities: [MUNICIPALITY] },
        rate_limit: { limit: 10_000, window_seconds: 1 },
      };
      // The scope of the list is in the description as soon as the service has it.
      const issued = await office.issueCredential(body as Parameters<typeof office.issueCredential>[0]);
      if (!issued.ok) throw new Error(`no credential: ${issued.code} ${JSON.stringify(issued.issues)}`);
      return issued.answer.access_token;
    };
    this.#token = await issue(['import']);
    return issue(['plate_check', 'entitlement_list']);
  }

  /** Cars buy; some extend what they have, some give it back. It returns when the service has taken all of it. */
  async trade(): Promise<void> {
    const now = Date.now();
    const lines: object[] = [];
    const bought: Title[] = [];
    for (let purchase = 0; purchase < PURCHASES; purchase++) {
      const car = this.#random.pick(this.cars);
      const running = car.titles.find((title) => title.storedAt < now && now < title.until);
      if (running !== undefined && this.#random.oneIn(2)) {
        // The first change unsettles it: a later one must not make it look settled until then.
        running.changedAt = Math.min(running.changedAt, now);
        const isCancelled = this.#random.oneIn(2);
        const until = running.until + 10_000;
        lines.push(this.#line(running.id, car, running.from, until, isCancelled ? now : null));
        continue;
      }
      const from = now + this.#random.below(8_000) - 4_000;
      const until = Math.max(from, now) + 2_000 + this.#random.below(60_000);
      const title = {
        ...{ id: `fire-${this.#next++}`, from, until, sentAt: now },
        ...{ storedAt: Infinity, changedAt: Infinity },
      };
      car.titles.push(title);
      bought.push(title);
      lines.push(this.#line(title.id, car, from, until, null));
    }
    await this.#store(lines);
    for (const title of bought) title.storedAt = Date.now();
  }

  #line(id: string, { plate }: Car, from: number, until: number, cancelledAt: number | null): object {
    return {
      session_id: id,
      plate,
      area_code: AREA,
      starts_at: new Date(from).toISOString(),
      ends_at: new Date(until).toISOString(),
      ...(cancelledAt !== null && { cancelled_at: new Date(cancelledAt).toISOString() }),
    };
  }

  /** On a way of its own, past the fire; while the service is down, it waits. */
  async #store(lines: readonly object[]): Promise<void> {
    for (;;) {
      const baseUrl = this.#address();
      if (baseUrl !== null) {
        const operator = createClient({ baseUrl, token: this.#token });
        const stored = await operator.importSessions({ lines }, { source_code: 'app' }, { budgetMs: 5_000 });
        if (stored.ok && stored.answer.rejected > 0) throw new Error(JSON.stringify(stored.answer.errors));
        if (stored.ok) return;
      }
      await wait(100);
    }
  }
}

/** Whether a car has a title that counts all through a time, and that every list since an instant has. */
export function surelyHolds({ titles }: Car, listAsOf: number, from: number, until: number): boolean {
  return titles.some(
    (title) =>
      title.storedAt < listAsOf && title.from <= from && until < title.until && until < title.changedAt,
  );
}

/** Whether a car may have had a title at some moment of a time, by some list of an instant. */
export function mayHold({ titles }: Car, listAsOf: number, from: number, until: number): boolean {
  return titles.some(
    (title) =>
      title.sentAt <= listAsOf && title.from <= until && (from < title.until || title.changedAt < Infinity),
  );
}
