import { setTimeout as wait } from 'node:timers/promises';
import type { Answer, ServiceClient } from '../../local/service-client.ts';
import { CITIES, type City, lineOf, UNPAID } from './city.ts';

const EVERY_MS = 50;
/** One call in so many imports, and one asks for options. */
const ROUND = 8;

/** The calls during a scene. */
export interface Asked {
  checks: number;
  options: number;
  imports: number;
  /** Answers that say nothing about a vehicle: of status 500 or higher. */
  failures: number;
  /** Answers that no client should ever get. */
  wrong: string[];
}

const nothingAsked = (): Asked => ({ checks: 0, options: 0, imports: 0, failures: 0, wrong: [] });

/**
 * Checks, options and imports, without a pause until it is stopped. A plate counts as paid once its import
 * was answered: a model judges each answer by that.
 */
export class Stream {
  readonly #client: ServiceClient;
  /** The plates of each city that have paid. */
  readonly #paid = new Map<string, string[]>(CITIES.map(({ code }) => [code, []]));
  #asked = nothingAsked();
  #turn = 0;
  /** The city that sends no imports for now. */
  #resting: string | null = null;
  #isOver = false;
  #ended: Promise<void> = Promise.resolve();

  constructor(client: ServiceClient) {
    this.#client = client;
  }

  /** Imports the first plates, and then continues by itself. */
  async begin(): Promise<void> {
    for (const city of CITIES) await this.#import(city);
    this.#ended = this.#goOn();
  }

  /** The calls since the last call of this. */
  take(): Asked {
    const asked = this.#asked;
    this.#asked = nothingAsked();
    return asked;
  }

  /** Stops the imports of a city, and waits for those under way. */
  async rest(code: string): Promise<void> {
    this.#resting = code;
    const turn = this.#turn;
    while (this.#turn <= turn + 1) await wait(EVERY_MS);
  }

  /** Resumes the imports in all cities. */
  wake(): void {
    this.#resting = null;
  }

  /** Ends the stream, then checks every imported plate. */
  async end(): Promise<Asked> {
    this.#isOver = true;
    await this.#ended;
    this.take();
    for (const city of CITIES) {
      for (const plate of this.#paid.get(city.code) ?? []) await this.#check(city, plate, true);
    }
    const asked = this.take();
    if (asked.failures > 0) asked.wrong.push(`${asked.failures} checks failed after the last scene`);
    return asked;
  }

  /** The plates that were imported and answered, by city. */
  get paid(): ReadonlyMap<string, readonly string[]> {
    return this.#paid;
  }

  async #goOn(): Promise<void> {
    while (!this.#isOver) {
      await this.#next().catch((error: unknown) => this.#asked.wrong.push(String(error)));
      await wait(EVERY_MS);
    }
  }

  #next(): Promise<void> {
    this.#turn += 1;
    const city = CITIES[this.#turn % CITIES.length] as City;
    switch (Math.floor(this.#turn / CITIES.length) % ROUND) {
      case 0:
        return city.code === this.#resting ? this.#askOptions(city) : this.#import(city);
      case 1:
        return this.#askOptions(city);
      case 2:
        return this.#check(city, UNPAID[this.#turn % UNPAID.length] ?? '', false);
      default: {
        const paid = this.#paid.get(city.code) ?? [];
        return this.#check(city, paid[this.#turn % paid.length] ?? '', true);
      }
    }
  }

  async #check({ code }: City, plate: string, isPaid: boolean): Promise<void> {
    this.#asked.checks += 1;
    const answer = await this.#client.send('POST', '/api/v2/parking-entitlements/search', {
      plate,
      municipality_code: code,
    });
    this.#judge(`a check of ${plate}`, answer, ({ has_valid_parking: said }) => said === isPaid);
  }

  async #askOptions({ code }: City): Promise<void> {
    this.#asked.options += 1;
    const answer = await this.#client.send('POST', '/api/v2/parking-meters/subscription-options', {
      plate: UNPAID[0],
      municipality_code: code,
    });
    this.#judge('options', answer, (body) => body.result_code === 'SUBSCRIPTION_NOT_FOUND');
  }

  async #import(city: City): Promise<void> {
    this.#asked.imports += 1;
    const plate = `PAID${this.#turn}${city.code}`;
    const path = `/api/v2/imports/sessions?source_code=app1&municipality_code=${city.code}`;
    const answer = await this.#client.send('POST', path, lineOf(plate));
    this.#judge(`an import of ${plate}`, answer, ({ created }) => created === 1);
    if (answer.status === 200) this.#paid.get(city.code)?.push(plate);
  }

  /** A failure says nothing about a vehicle; any other answer has to be right. */
  #judge(what: string, { status, body }: Answer, isRight: (body: Answer['body']) => boolean): void {
    if (status >= 500) this.#asked.failures += 1;
    else if (status !== 200 || !isRight(body)) {
      this.#asked.wrong.push(`${what} was answered ${status}: ${JSON.stringify(body).slice(0, 300)}`);
    }
  }
}
