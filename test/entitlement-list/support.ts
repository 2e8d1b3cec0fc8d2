import { env } from 'cloudflare:workers';
import { DAY_MS } from '../../src/domain/instant.ts';
import type {
  EndLine,
  HeaderLine,
  RemovedLine,
  SessionLine,
  SubscriptionLine,
} from '../../src/field/entitlement-list/contract.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
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
export type ListQuery = Readonly<Record<string, string | number | undefined>>;

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
  path = LIST,
): Promise<ListAnswer> {
  const answer = await askList(service, headers, query, path);
  if ('code' in answer) {
    throw new Error(`the list was refused: ${answer.status} ${answer.code}`);
  }
  return answer;
}

/** Somebody who keeps a facility's list as the interface says: all pages, then every delta. */
export class Holder {
  readonly entries = new Map<string, EntryLine>();
  /** Ids that any of its answers ever had. */
  readonly seen = new Set<string>();
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
  readonly #path: string;

  constructor(service: Service, headers: Record<string, string>, limit?: number, path = LIST) {
    this.#service = service;
    this.#headers = headers;
    this.#limit = limit;
    this.#path = path;
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
    const answer = await askList(this.#service, this.#headers, query, this.#path);
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
        this.seen.add(line.id);
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

/** A configured city: a facility, another one, a street, two sources, a type of subscription. */
export const CITY_DOCUMENT = {
  tenants: [{ code: 'acme', name: 'Acme Parking' }],
  municipalities: [
    {
      ...{ code: 'H501', name: 'Roma', timezone: 'Europe/Rome', tenant: 'acme' },
      areas: [
        {
          ...{ code: 'P1', name: 'Parcheggio Centro', area_type: 'facility' },
          facility: { subscription_access: true, entry_grace_minutes: 10, exit_grace_minutes: 15 },
        },
        { code: 'P2', name: 'Parcheggio Stazione', area_type: 'facility' },
        { code: 'S1', name: 'Via Roma', area_type: 'street' },
      ],
      sources: [
        { code: 'app1', name: 'App One', category: 'app' },
        { code: 'app2', name: 'App Two', category: 'app', open_session_max_hours: 24 },
      ],
      subscription_types: [{ code: 'RES', name: 'Residents' }],
    },
  ],
};

/** Puts a configuration document. */
export async function configure(service: Service, document: object): Promise<void> {
  const { status, body } = await service.call('/api/v2/admin/configuration', {
    method: 'PUT',
    body: document,
    headers: ADMIN,
  });
  if (status !== 200) {
    throw new Error(`the configuration was refused: ${JSON.stringify(body)}`);
  }
}

/** Issues a credential for a city that is configured. */
export async function issueForCity(code = 'H501'): Promise<TestCredential> {
  const place = await env.DB.prepare('select id, tenant_id as tenant from municipalities where code = ?')
    .bind(code)
    .first<{ id: number; tenant: number }>();
  if (place === null) throw new Error('there is no city');
  return issueCredential({ tenantId: place.tenant }, [place.id]);
}

/** Imports lines, all of which must be taken. */
export async function importLines(
  service: Service,
  headers: Record<string, string>,
  path: string,
  lines: readonly object[],
): Promise<void> {
  const { status, body } = await service.call(path, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/x-ndjson' },
    body: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  });
  if (status !== 200 || body.rejected !== 0) {
    throw new Error(`the import was not taken: ${JSON.stringify(body)}`);
  }
}

export const sessionsOf = (source: string): string => `/api/v2/imports/sessions?source_code=${source}`;
export const SUBSCRIPTIONS = '/api/v2/imports/subscriptions';
