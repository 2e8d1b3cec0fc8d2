import { expect } from 'vitest';
import { plateHashOf } from '../../clients/client/gate/plate-hash.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/domain/instant.ts';
import { storedPlate } from '../../src/domain/plate.ts';
import { ERASE } from '../admin/plates-support.ts';
import { check, options, report } from '../databases/nation.ts';
import { naiveJudgement, type SessionRow, type SubscriptionRow } from '../domain/naive-model.ts';
import type { Random } from '../domain/random.ts';
import { Holder, standing } from '../entitlement-list/support.ts';
import { NaiveTitle } from '../payments/naive-payments.ts';
import { iso, PAYMENTS, REVERSE } from '../payments/support.ts';
import { ADMIN, type Answer, type Service } from '../support/service.ts';
import { type Mover, send } from './movers.ts';
import type { Stops } from './stops.ts';

interface Session extends SessionRow {
  readonly plate: string;
}
interface Subscription extends SubscriptionRow {
  plates: string[];
}
/** A city with a tenant of its own. */
export type City = Mover & { readonly tenant: string };
/** A subscription that is paid at meters. */
interface Title {
  readonly number: string;
  readonly plate: string;
  readonly naive: NaiveTitle;
}

const COUNTS = ['created', 'updated', 'unchanged'] as const;
const inMinutes = (minutes: number): number => Date.now() + minutes * MINUTE_MS;

/**
 * Calls a city by HTTP, in an area and with plates and keys of its own, and knows by a naive model how each call must be
 * answered: what has been acknowledged is there, what has been refused is not.
 */
export class Caller {
  readonly plates: string[] = [];
  readonly erased: string[] = [];
  sessions: Session[] = [];
  readonly #area: string;
  readonly #city: City;
  readonly #random: Random;
  readonly #stops: Stops;
  readonly #newIsolate: () => Service;
  readonly #holder: Holder;
  #service: Service;
  #subscriptions: Subscription[] = [];
  readonly #arealess: Session[] = [];
  #title: Title | null = null;
  #made = 0;
  /** Plates of a call that was not acknowledged, all of it: a part may have been done. It is repeated before any other. */
  #inDoubt: readonly string[] = [];
  #again: (() => Promise<void>) | null = null;

  constructor(area: string, city: City, random: Random, stops: Stops, newIsolate: () => Service) {
    this.#area = area;
    this.#city = city;
    this.#random = random;
    this.#stops = stops;
    this.#newIsolate = newIsolate;
    this.#service = newIsolate();
    const limit = random.oneIn(2) ? 2 : undefined;
    this.#holder = new Holder(
      newIsolate(),
      city.headers,
      limit,
      `/api/v2/facilities/${area}/entitlement-list`,
    );
    this.plates.push(...random.list(3, () => this.#newPlate()));
  }

  /** Makes one call that changes something, and some that ask. */
  async step(): Promise<void> {
    const random = this.#random;
    if (random.oneIn(6)) this.#service = this.#newIsolate();
    const change = random.pick([
      ...[() => this.#park(), () => this.#park(), () => this.#subscribe(), () => this.#pay()],
      ...[() => this.#pay(), () => this.#configure()],
      ...(random.oneIn(3) ? [() => this.#erase(random.pick(this.#known()))] : []),
    ]);
    await (this.#again ?? change)();
    await this.#ask();
  }

  /** Asks everything. */
  async askAll(): Promise<void> {
    while (this.#again !== null) await this.#again();
    for (const plate of this.#known()) await this.#check(plate);
    await this.#options();
    await this.#report();
    await this.#list();
  }

  async #ask(): Promise<void> {
    const random = this.#random;
    if (this.#known().length === 0) return;
    await this.#check(random.pick(this.#known()));
    await random.pick([() => this.#options(), () => this.#report(), () => this.#list()])();
  }

  #known(): string[] {
    const plates = [...this.plates, ...this.erased, ...(this.#title === null ? [] : [this.#title.plate])];
    return plates.filter((plate) => !this.#inDoubt.includes(plate));
  }

  /** A plate or a key that no other caller has, of any city, and no text contains that is another. */
  readonly #newPlate = (): string => `${this.#city.code}${this.#area}X${this.#newNumber()}`;
  readonly #newKey = (): string => `${this.#area}-${this.#newNumber()}`;

  /** Of three digits. */
  #newNumber(): number {
    this.#made += 1;
    return 99 + this.#made;
  }

  /** @returns null if it was refused because the city is switching */
  async #write(call: () => Promise<Answer>): Promise<Answer | null> {
    const since = this.#stops.now();
    const answer = await call();
    const { status, body } = answer;
    if (status !== 503) {
      expect(status, JSON.stringify(body)).toBe(200);
      return answer;
    }
    expect(body.error).toMatchObject({ code: 'MUNICIPALITY_MOVING' });
    expect(this.#stops.mayRefuse(since), 'refused, though no switch is under way').toBe(true);
    return null;
  }

  async #read(call: () => Promise<Answer>): Promise<Record<string, unknown>> {
    const { status, body } = await call();
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  }

  #post(path: string, body: object): Promise<Answer> {
    const { headers, code } = this.#city;
    return this.#service.post(path, { ...body, municipality_code: code }, headers);
  }

  /**
   * Sends a line, and again until it is taken. A refused import may have stored it: its end may have been refused.
   *
   * @param plates of the line, and of its key before
   * @param taken changes the model
   */
  async #import(
    kind: 'sessions' | 'subscriptions',
    line: object,
    plates: readonly string[],
    change: 'created' | 'updated' | 'unchanged',
    taken: () => void,
  ): Promise<void> {
    const changes: string[] = this.#again === null ? [change] : [change, 'unchanged'];
    const answer = await this.#write(() => send({ ...this.#city, service: this.#service }, kind, line));
    if (answer === null) {
      this.#inDoubt = plates;
      this.#again = () => this.#import(kind, line, plates, change, taken);
      return;
    }
    this.#settle();
    const { body } = answer;
    expect(body.rejected, JSON.stringify(body)).toBe(0);
    expect(changes, JSON.stringify([line, body])).toContain(COUNTS.find((count) => body[count] === 1));
    taken();
  }

  #settle(): void {
    this.#inDoubt = [];
    this.#again = null;
  }

  /** A new session, or one that is sent again, extended, cancelled, or given another plate. */
  async #park(): Promise<void> {
    const random = this.#random;
    const old = this.sessions.length > 0 && random.oneIn(2) ? random.pick(this.sessions) : null;
    const plate = random.pick(this.plates);
    const starts_at = inMinutes(random.pick([-120, -60, 120]));
    const session: Session = old ?? {
      ...{ id: this.#newKey(), source: 'app1', plate, max_hours: 24, cancelled_at: null },
      ...{ starts_at, ends_at: starts_at + 3 * HOUR_MS },
    };
    const next = random.pick<() => Partial<Session>>([
      () => ({}),
      () => ({ ends_at: (session.ends_at ?? 0) + 30 * MINUTE_MS }),
      () => ({ cancelled_at: session.cancelled_at ?? Date.now() - 1_000 }),
      () => ({ plate }),
    ])();
    const sent = { ...session, ...next };
    const line = {
      ...{ session_id: sent.id, plate: sent.plate, area_code: this.#area },
      ...{ starts_at: iso(sent.starts_at), ends_at: iso(sent.ends_at ?? 0) },
      cancelled_at: sent.cancelled_at === null ? null : iso(sent.cancelled_at),
    };
    const isSame = JSON.stringify(sent) === JSON.stringify(old);
    const change = old === null ? 'created' : isSame ? 'unchanged' : 'updated';
    await this.#import('sessions', line, [session.plate, sent.plate], change, () => {
      this.sessions = [...this.sessions.filter((other) => other !== old), sent];
    });
  }

  async #subscribe(): Promise<void> {
    const random = this.#random;
    const plates = this.plates.filter(() => random.oneIn(2));
    const old = this.#subscriptions.length > 0 && random.oneIn(2) ? random.pick(this.#subscriptions) : null;
    const starts_at = inMinutes(random.pick([-60, 60]));
    const fresh = random.oneIn(4) ? [] : [{ starts_at, ends_at: starts_at + 48 * HOUR_MS }];
    const sent: Subscription = {
      ...{ ...NO_LIMITS, number: old?.number ?? this.#newKey(), plates },
      periods: old !== null && random.oneIn(2) ? old.periods : fresh,
      areas: random.pick([null, [this.#area], ['S1']]),
    };
    const isSame = JSON.stringify(sent) === JSON.stringify(old);
    const line = this.#lineOf(sent.number, plates, {
      periods: sent.periods.map((period) => ({
        starts_at: iso(period.starts_at),
        ends_at: iso(period.ends_at),
      })),
      areas: sent.areas ?? 'all',
    });
    const change = old === null ? 'created' : isSame ? 'unchanged' : 'updated';
    await this.#import('subscriptions', line, [...plates, ...(old?.plates ?? [])], change, () => {
      this.#subscriptions = [...this.#subscriptions.filter((other) => other !== old), sent];
    });
  }

  readonly #lineOf = (subscription_number: string, plates: readonly string[], changed: object) => ({
    ...{ subscription_number, type: 'RES', approval: 'approved', areas: 'all', periods: [] },
    plates: plates.map((plate) => ({ plate })),
    ...changed,
  });

  /** Pays for its title, pays again, or takes a payment back. */
  async #pay(): Promise<void> {
    const random = this.#random;
    if (this.#title === null) {
      const title = { number: this.#newKey(), plate: this.#newPlate(), naive: new NaiveTitle() };
      const line = this.#lineOf(title.number, [title.plate], {});
      await this.#import('subscriptions', line, [title.plate], 'created', () => {
        this.#title = title;
      });
      return;
    }
    const { plate, naive } = this.#title;
    const known = [...naive.answers.keys()];
    if (known.length > 0 && random.oneIn(3)) {
      const payment_id = random.pick(known);
      const answer = await this.#write(() =>
        this.#post(REVERSE, { payment_id, reversed_at: iso(Date.now()) }),
      );
      if (answer !== null) {
        expect(answer.body.result_code).toBe(naive.reverse(payment_id, Date.now()));
        // The instant of recording may be some milliseconds ahead of the clock.
        await scheduler.wait(20);
      }
      return;
    }
    const payment_id = this.#newKey();
    const collected_at = Date.now();
    const body = { payment_id, plate, codice_tariffa: '101', importo_eurocent: 2_500 };
    const payment = { ...body, collected_at: iso(collected_at) };
    const answer = await this.#write(() => this.#post(PAYMENTS, payment));
    if (answer === null) return;
    const expected = naive.pay(payment_id, '101', 2_500, collected_at);
    expect(answer.body).toMatchObject({ result_code: expected, already_recorded: false });
    const again = await this.#write(() => this.#post(PAYMENTS, payment));
    if (again !== null) expect(again.body).toMatchObject({ result_code: expected, already_recorded: true });
  }

  /** Erases a plate, in as many calls as that takes. */
  async #erase(plate: string): Promise<void> {
    const { tenant } = this.#city;
    const answer = await this.#write(() => this.#service.post(ERASE, { tenant, plate }, ADMIN));
    if (answer === null || answer.body.more === true) {
      this.#inDoubt = [plate];
      this.#again = () => this.#erase(plate);
      return;
    }
    this.#settle();
    if (this.erased.includes(plate)) return;
    this.erased.push(plate);
    if (plate === this.#title?.plate) this.#title = null;
    else this.plates.splice(this.plates.indexOf(plate), 1, this.#newPlate());
    // They still fill the area, each under a pseudonym of its own.
    const erased = this.sessions.filter((session) => session.plate === plate);
    this.sessions = this.sessions.filter((session) => session.plate !== plate);
    this.#arealess.push(...erased);
    for (const subscription of this.#subscriptions) {
      subscription.plates = subscription.plates.filter((other) => other !== plate);
    }
  }

  /** A document about the tenant is never refused. */
  async #configure(): Promise<void> {
    const { code, tenant } = this.#city;
    const put = (body: object) =>
      this.#service.call('/api/v2/admin/configuration', { method: 'PUT', headers: ADMIN, body });
    if (this.#random.oneIn(2)) {
      await this.#read(() => put({ tenants: [{ code: tenant, name: this.#newKey() }] }));
      return;
    }
    const capacity = 1 + this.#random.below(50);
    await this.#write(() => put({ municipalities: [{ code, areas: [{ code: this.#area, capacity }] }] }));
  }

  /** The subscriptions of a plate. */
  #subscriptionsOf(plate: string): SubscriptionRow[] {
    const own = this.#subscriptions.filter(({ plates }) => plates.includes(plate));
    if (plate !== this.#title?.plate) return own;
    const periods = this.#title.naive
      .periods()
      .map(({ starts, ends }) => ({ starts_at: starts, ends_at: ends }));
    return [...own, { ...NO_LIMITS, number: this.#title.number, periods }];
  }

  async #check(plate: string): Promise<void> {
    const area = this.#random.pick([null, this.#area]);
    const where = area === null ? {} : { area_code: area, event: 'entry' };
    const body = await this.#read(() =>
      check(this.#service, this.#city.headers, { plate, municipality_code: this.#city.code, ...where }),
    );
    const { counts, subscriptions } = naiveJudgement({
      ...{ t: Date.now(), area, supported: true },
      sessions: this.sessions.filter((session) => session.plate === plate),
      subscriptions: this.#subscriptionsOf(plate),
    });
    expect(body, `${plate} ${subscriptions.join()}`).toMatchObject({
      ...{ sessions_count: counts.sessions, valid_sessions_count: counts.validSessions },
      subscriptions_count: counts.subscriptions,
      valid_subscriptions_count: counts.validSubscriptions,
    });
  }

  async #options(): Promise<void> {
    const plate = this.#random.pick(this.#known());
    const { headers, code } = this.#city;
    const body = await this.#read(() => options(this.#service, headers, { plate, municipality_code: code }));
    expect(body.subscriptions_count, `options of ${plate}`).toBe(this.#subscriptionsOf(plate).length);
  }

  async #report(): Promise<void> {
    if (this.#again !== null) return;
    const { headers, code } = this.#city;
    const body = await this.#read(() => report(this.#service, headers, { municipality_code: code }));
    const rows = body.rows as { area: { code: string }; active_now: number }[];
    const row = rows.find(({ area }) => area.code === this.#area);
    const isValid = (session: Session) => isRunning(session, Date.now());
    const vehicles = new Set(this.sessions.filter(isValid).map(({ plate }) => plate)).size;
    expect(row?.active_now, `report of ${this.#area}`).toBe(vehicles + this.#arealess.filter(isValid).length);
  }

  async #list(): Promise<void> {
    if (this.#again !== null) return;
    await this.#holder.refresh();
    const { Authorization = '' } = this.#city.headers;
    const hash = await plateHashOf(Authorization.replace('Bearer ', ''));
    const now = Date.now();
    const expected = this.sessions
      .filter(({ cancelled_at }) => cancelled_at === null)
      .map(({ plate, ends_at }) => `${plate} until ${iso(ends_at ?? 0)}`);
    const plates = this.#known();
    for (const plate of plates) {
      const here = this.#subscriptionsOf(plate).filter(
        ({ areas, periods }) =>
          (areas === null || areas.includes(this.#area)) && periods.some(({ ends_at }) => ends_at > now),
      );
      expected.push(...here.map(() => `${plate} subscribed`));
    }
    const names = new Map<string, string>();
    for (const plate of plates) names.set(await hash.of(storedPlate(plate)), plate);
    const listed = Object.values(standing(this.#holder)).flatMap((entry) => {
      const plate = names.get(entry.plate);
      if (plate === undefined) return [];
      return entry.kind === 'session'
        ? [`${plate} until ${iso(Date.parse(entry.until))}`]
        : [`${plate} subscribed`];
    });
    expect(listed.sort(), `list of ${this.#area}`).toEqual(expected.sort());
    expect(this.#holder.faults).toEqual([]);
  }
}

const isRunning = ({ starts_at, ends_at, cancelled_at }: SessionRow, at: number): boolean =>
  cancelled_at === null && starts_at <= at && at < (ends_at ?? at);

const NO_LIMITS = {
  ...{ approval: 'approved' as const, plate_spans: [{ valid_from: null, valid_until: null }], areas: null },
  ...{ authorized_from: null, authorized_until: null, suspended_from: null, suspended_until: null },
  revoked_at: null,
};
