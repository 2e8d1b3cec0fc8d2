import { expect } from 'vitest';
import { DAY_MS } from '../../src/domain/instant.ts';
import type {
  EndLine,
  HeaderLine,
  RemovedLine,
  SessionLine,
  SubscriptionLine,
} from '../../src/field/entitlement-list/contract.ts';
import { mustPut } from '../configuration/support.ts';
import { APP1_SESSIONS, countsOf, file, SESSIONS, SUBSCRIPTIONS, send } from '../imports/support.ts';
import { City } from '../support/city.ts';
import { APP_SOURCE, CITY, FACILITY } from '../support/seed.ts';
import { ADMIN, type Service } from '../support/service.ts';

type EntryLine = SessionLine | SubscriptionLine;

/** An answer with lines, read as a client reads it. */
interface ListAnswer {
  readonly header: HeaderLine;
  readonly lines: readonly (EntryLine | RemovedLine)[];
  readonly end: EndLine;
}

/** How an answer was refused. */
interface ListRefusal {
  readonly status: number;
  readonly code: string;
}

export const LIST = '/api/v2/facilities/P1/entitlement-list';

/** What a list is asked with. */
type ListQuery = Readonly<Record<string, string | number | undefined>>;

export async function askList(
  service: Service,
  headers: Record<string, string>,
  query: ListQuery = {},
  path = LIST,
): Promise<ListAnswer | ListRefusal> {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  const { status, text } = await service.send(
    new Request(`https://parking.test${path}?${search}`, {
      headers: { ...headers, 'CF-Connecting-IP': '203.0.113.7' },
    }),
  );
  if (status !== 200) {
    return { status, code: JSON.parse(text).error.code };
  }
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { header: lines[0], lines: lines.slice(1, -1), end: lines.at(-1) };
}

/** The same, where nothing but a list may be answered. */
export async function takeList(
  service: Service,
  headers: Record<string, string>,
  query: ListQuery = {},
): Promise<ListAnswer> {
  const answer = await askList(service, headers, query);
  if ('code' in answer) {
    throw new Error(`the list was refused: ${answer.status} ${answer.code}`);
  }
  return answer;
}

/** Somebody who keeps a facility's list as the interface says: all pages, then every delta. */
export class Holder {
  readonly entries = new Map<string, EntryLine>();
  /** Ids that any of its answers removed. */
  readonly removed: string[] = [];
  /** What went wrong. */
  readonly faults: string[] = [];
  header: HeaderLine | null = null;
  cursor: string | undefined;
  /** How often it had to take the full list. */
  fullLists = 0;

  readonly #service: Service;
  readonly #headers: Record<string, string>;
  readonly #limit: number | undefined;

  constructor(service: Service, headers: Record<string, string>, limit?: number) {
    this.#service = service;
    this.#headers = headers;
    this.#limit = limit;
  }

  /** Whether it is in the middle of a list, of which it has not had the last page. */
  isInList = false;

  /** Takes one answer. @returns whether there is more */
  async step(): Promise<boolean> {
    this.isInList = await this.#next();
    return this.isInList;
  }

  async #next(): Promise<boolean> {
    const query = { cursor: this.cursor, limit: this.#limit };
    const answer = await askList(this.#service, this.#headers, query);
    if ('code' in answer) {
      if (answer.code !== 'CURSOR_GONE') {
        throw new Error(`the list was refused: ${answer.status} ${answer.code}`);
      }
      this.cursor = undefined;
      return true;
    }
    this.#take(answer);
    return answer.end.more;
  }

  /** Takes answers until there is no more. */
  async refresh(): Promise<void> {
    while (await this.step()) {}
  }

  #take({ header, lines, end }: ListAnswer): void {
    if (this.cursor === undefined) {
      this.fullLists++;
      this.entries.clear();
      if (header.mode !== 'full') this.faults.push('no cursor, and no full list');
    }
    if (end.lines !== lines.length) this.faults.push(`${lines.length} lines, and the end says ${end.lines}`);
    for (const line of lines) {
      if (line.type === 'entry') {
        this.entries.set(line.id, line);
      } else {
        this.removed.push(line.id);
        this.entries.delete(line.id);
      }
    }
    this.header = header;
    this.cursor = end.cursor;
  }
}

/** What counts of what is held, at the instant of the holder's list: without what has ended, each interval from then on. */
export function standing({ entries, header }: Holder): Record<string, EntryLine> {
  const at = Date.parse(header?.as_of ?? '');
  return Object.fromEntries(
    [...entries.values()].flatMap((entry) => standingEntry(entry, at)).map((entry) => [entry.id, entry]),
  );
}

function standingEntry(entry: EntryLine, at: number): EntryLine[] {
  if (entry.kind === 'session') {
    const isCancelled = entry.cancelled_at !== undefined && Date.parse(entry.cancelled_at) <= at;
    return isCancelled || Date.parse(entry.until) <= at - DAY_MS ? [] : [entry];
  }
  // What began by now began before: two lists may be of different instants.
  const valid = entry.valid
    .filter(({ until }) => until === null || Date.parse(until) > at)
    .map(({ from, until }) => ({ from: Date.parse(from) <= at ? 'before' : from, until }));
  return valid.length === 0 ? [] : [{ ...entry, valid }];
}

/** A city with two facilities, a street, two sources and a type of subscription, and what changes it. */
export function listingCity(anew = false) {
  const city = new City(
    {
      ...CITY,
      areas: [...CITY.areas, { ...FACILITY, id: 3, code: 'P2' }],
      sources: [APP_SOURCE, { ...APP_SOURCE, id: 2, code: 'app2', openSessionMaxHours: 24 }],
    },
    { anew },
  );
  /** Imports lines, all of which must be taken. */
  const importLines = async (path: string, lines: readonly object[]): Promise<void> => {
    expect(countsOf(await send(city.service, path, file(lines), city.headers))).toMatchObject({
      rejected: 0,
    });
  };
  return {
    city,
    configure: (changed: object) => mustPut({ municipalities: [{ code: 'H501', ...changed }] }),
    importSessions: (...lines: readonly object[]) => importLines(APP1_SESSIONS, lines),
    importSessionsOf: (source: string, ...lines: readonly object[]) =>
      importLines(`${SESSIONS}?source_code=${source}`, lines),
    importSubscriptions: (...lines: readonly object[]) => importLines(SUBSCRIPTIONS, lines),
    take: (query: ListQuery = {}) => takeList(city.service, city.headers, query),
    holder: (limit?: number) => new Holder(city.service, city.headers, limit),
    /** One that holds all of a list taken now. */
    freshHolder: async (limit?: number) => {
      const holder = new Holder(city.service, city.headers, limit);
      await holder.refresh();
      return holder;
    },
    /** Erases a plate for good; others with it may come. */
    erase: async (plate: string) => {
      const answer = await city.post('/api/v2/admin/plates/erase', { tenant: 'acme', plate }, ADMIN);
      expect(answer.status).toBe(200);
    },
  };
}
