import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import type { AnyCommand } from '../../clients/parking/command.ts';
import { Office } from '../../clients/parking/office.ts';
import { programOf } from '../../clients/parking/program.ts';
import type { Streams } from '../../clients/parking/terminal/terminal.ts';
import { ADMIN_TOKEN, CITY, type Desk, type RunningService } from './office.ts';
import { wordsOfLine } from './session.ts';

const NAMES_OF_FILES = /^(?:\*|[\w-]+)\.(?:yaml|json|csv|html|ndjson|ndjson\.gz)$/;
/** What commands write, and do not write over. */
const WRITTEN = ['app1.json', 'new.json', 'ab123cd.json', 'rifiutate.csv', 'h501.ndjson.gz', 'ricorso.html'];

const ROMA = { tenant: 'acme', municipality: 'H501' };

/** The words of every command, groups too. */
export function allCommands(): string[][] {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const streams = { stdin: new PassThrough(), stdout, stderr, environment: {} };
  const below = (command: AnyCommand, words: readonly string[]): string[][] =>
    command.commands.flatMap((child) => [
      [...words, child.name()],
      ...below(child, [...words, child.name()]),
    ]);
  // Streams, as far as making the commands needs them.
  const office = new Office(streams as unknown as Streams, new AbortController().signal);
  return [[], ...below(programOf(office), [])];
}

/** The examples in a help. */
export const examplesIn = (help: string): string[] =>
  [...help.matchAll(/^ {2}\$ (.*)$/gm)].map(([, example = '']) => example);

/** Plays examples at a desk whose profile has both tokens, and whose files are those that examples name. */
export class Stage {
  readonly #desk: Desk;
  readonly #service: RunningService;
  readonly #token: string;
  readonly #ids: { readonly credential: string; readonly call: string };
  readonly #municipality: string;
  readonly #more: { readonly admin_token?: string };

  private constructor(
    desk: Desk,
    service: RunningService,
    token: string,
    ids: { credential: string; call: string },
    municipality: string,
    more: { readonly admin_token?: string },
  ) {
    this.#desk = desk;
    this.#service = service;
    this.#token = token;
    this.#ids = ids;
    this.#municipality = municipality;
    this.#more = more;
  }

  /** @param place where the examples are played: what of it they name has to be there; `office`: with its token alone */
  static async open(
    desk: Desk,
    service: RunningService,
    place: { readonly tenant: string; readonly municipality: string } | 'office' = ROMA,
  ): Promise<Stage> {
    const { tenant, municipality } = place === 'office' ? ROMA : place;
    const issue = async (more: object) =>
      service.administrate('POST', 'credentials', {
        ...{ tenant, name: 'Stage', municipalities: [municipality], scopes: ['report'] },
        ...more,
      });
    const scopes = [
      ...['plate_check', 'subscription_options', 'subscription_payments', 'report', 'import'],
      ...['evidence', 'patrol'],
    ];
    const rate_limit = { limit: 10_000, window_seconds: 60 };
    const own = await issue({ scopes: place === 'office' ? [...scopes, 'office'] : scopes, rate_limit });
    const other = await issue({});
    await payUnsettled(service, String(own.access_token));
    const checked = await fetch(`${service.address}/api/v2/parking-meters/subscription-options`, {
      method: 'POST',
      headers: { authorization: `Bearer ${own.access_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ plate: 'AB123CD' }),
    });
    const call = checked.headers.get('X-Request-Id') ?? '';
    const ids = { credential: String(other.credential_id), call };
    const stage = new Stage(
      ...([desk, service, String(own.access_token), ids, municipality] as const),
      place === 'office' ? {} : { admin_token: ADMIN_TOKEN },
    );
    stage.#writeFiles();
    return stage;
  }

  /** @param columns null: piped */
  play(example: string, columns: number | null) {
    this.#writeProfiles();
    for (const name of WRITTEN) rmSync(this.#desk.path(name), { force: true });
    return this.#desk.run(this.#wordsOf(example), {
      input: ADMIN_TOKEN,
      ...(columns !== null && { columns }),
      stopped: example.includes('--watch'),
    });
  }

  /** As a shell would cut it, without what its output goes to; ids and instants are those of here and now. */
  #wordsOf(example: string): string[] {
    const [command = ''] = /\bparking [^|>)]*/.exec(example) ?? [];
    const now = new Date().toISOString();
    return wordsOfLine(command).map((word) => {
      if (NAMES_OF_FILES.test(word)) return this.#desk.path(word.replace('*', 'plain'));
      if (word === 'https://parking.example') return this.#service.address;
      if (/^[0-9a-f]{24}$/.test(word)) return this.#ids.credential;
      if (/^[0-9a-f-]{36}$/.test(word)) return this.#ids.call;
      return command.includes('evidence') && /^[\d/]+[ T-]/.test(word) ? now : word;
    });
  }

  #writeProfiles(): void {
    const profile = {
      url: this.#service.address,
      access_token: this.#token,
      ...this.#more,
      municipality: this.#municipality,
    };
    mkdirSync(this.#desk.path('config/parking'), { recursive: true });
    const book = { current: 'demo', profiles: { demo: profile, roma: profile } };
    writeFileSync(this.#desk.path('config/parking/profiles.json'), JSON.stringify(book), { mode: 0o600 });
  }

  #writeFiles(): void {
    const times = '2026-03-07 17:00,2026-03-07 19:00';
    const session = { plate: 'AB123CD', area_code: 'S1', starts_at: '2026-03-07T17:00:00+01:00' };
    const subscription = (subscription_number: string) => ({
      ...{ subscription_number, type: 'RES', approval: 'approved', areas: 'all', periods: [] },
      plates: [{ plate: 'AB123CD' }, { plate: 'EF456GH' }],
    });
    const files = {
      'roma.yaml': JSON.stringify(CITY),
      'roma.json': JSON.stringify(CITY),
      'seen.csv': 'plate,area_code\nAB123CD,S1\n',
      'today.ndjson': JSON.stringify({ session_id: 'A-1', ...session }),
      'soste.csv': `session_id,Targa,Zona,Inizio,Fine\nB-1,AB123CD,S1,${times}\n`,
      'plain.csv': `session_id,plate,area_code,starts_at,ends_at\nC-1,AB123CD,S1,${times}\n`,
      'residents.ndjson': JSON.stringify(subscription('R-3')),
      'ended.ndjson': JSON.stringify(subscription('R-1')),
      'abbonamenti.csv': 'Numero,Targhe,Tipo\nR-2,AB123CD,RES\n',
    };
    for (const [name, text] of Object.entries(files)) this.#desk.write(name, text);
  }
}

/** Sends the payment that examples name: no subscription is there for it. */
async function payUnsettled({ address }: RunningService, token: string): Promise<void> {
  await fetch(`${address}/api/v2/parking-meters/subscription-payments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ payment_id: 'P-1', plate: 'ZZ999ZZ', codice_tariffa: '101', importo_eurocent: 2_500 },
      ...{ terminal_code: 'METER-17', collected_at: new Date().toISOString() },
    }),
  });
}
