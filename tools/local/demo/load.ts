import { existsSync } from 'node:fs';
import * as z from 'zod';
import type { Instant } from '../../../src/domain/instant.ts';
import { ServiceClient } from '../service-client.ts';
import { type DemoArea, municipalityCodes, readAreas } from './areas.ts';
import {
  configurationDocument,
  FAILING_SOURCE,
  SILENT_SOURCE,
  SOURCES,
  TROUBLED_CITY,
} from './configuration.ts';
import { obtainTokens, type Tokens, tokensFile } from './credentials.ts';
import type { LocatedSubscription, SessionLine, SourcedSession, SubscriptionLine } from './lines.ts';
import { stageObjections } from './objections.ts';
import { type OccupancyCurve, readOccupancyCurve } from './occupancy.ts';
import { ordinarySubscriptions } from './residents.ts';
import { ordinarySessions } from './sessions.ts';
import { showcaseSessions, showcaseSubscriptions } from './showcase-lines.ts';

const importAnswer = z.object({ rejected: z.int(), errors: z.array(z.unknown()) });

/** Where the tokens are kept, and the names of the databases. */
interface DemonstrationPlace {
  readonly stateDir: string;
  readonly databases: readonly string[];
}

/** The demonstration's data in a running service, loaded as any tenant's is: over HTTP, by its public operations. */
export class Demonstration {
  readonly tokens: Tokens;
  /** When the officer asked, to whose checks there are objections. */
  readonly askedAt: string;
  readonly #importer: ServiceClient;
  readonly #areas: readonly DemoArea[];
  readonly #curve: OccupancyCurve = readOccupancyCurve();
  /** The lines that the service has, so that a refresh sends only what is another by now. */
  readonly #sent = new Map<string, string>();

  private constructor(importer: ServiceClient, areas: readonly DemoArea[], tokens: Tokens, askedAt: string) {
    this.tokens = tokens;
    this.askedAt = askedAt;
    this.#areas = areas;
    this.#importer = importer;
  }

  /** Configures the cities, issues the credentials and imports what there is to park at an instant. */
  static async load(
    address: string,
    adminToken: string,
    { stateDir, databases }: DemonstrationPlace,
    now: Instant,
  ): Promise<Demonstration> {
    const areas = readAreas();
    const isFirst = !existsSync(tokensFile(stateDir));
    const administrator = new ServiceClient(address, adminToken);
    await configure(administrator, areas, databases);
    const tokens = await obtainTokens(address, administrator, stateDir);

    const importer = new ServiceClient(address, tokens.importer);
    const officer = new ServiceClient(address, tokens.barrier);
    const askedAt = await stageObjections({ administrator, importer, officer }, stateDir, now);
    const demonstration = new Demonstration(importer, areas, tokens, askedAt);
    await demonstration.refresh(now);
    if (isFirst) {
      await demonstration.#import('sessions', sourceOf(TROUBLED_CITY, SILENT_SOURCE), []);
    }
    return demonstration;
  }

  /**
   * Imports what has changed since: sessions and subscriptions that ended are replaced under their own keys. Every
   * source reports, changed or not, as a living one does.
   */
  async refresh(now: Instant): Promise<void> {
    const sessions = [...ordinarySessions(this.#areas, this.#curve, now), ...showcaseSessions(now)];
    const cities = municipalityCodes(this.#areas);
    const subscriptions = [...ordinarySubscriptions(cities, now), ...showcaseSubscriptions(now)];
    for (const city of cities) {
      for (const { code: source } of SOURCES) {
        const ofSource = sessions.filter(
          ({ municipalityCode, sourceCode }) => municipalityCode === city && sourceCode === source,
        );
        await this.#import('sessions', sourceOf(city, source), ofSource);
      }
      const ofCity = subscriptions.filter(({ municipalityCode }) => municipalityCode === city);
      await this.#import('subscriptions', { municipality_code: city }, ofCity);
    }
    await this.#fail(sourceOf(TROUBLED_CITY, FAILING_SOURCE));
  }

  /** Sends what is no line, as a partner's broken export does: recorded as a failed import. */
  async #fail(target: Record<string, string>): Promise<void> {
    await this.#importer.succeed('POST', `/api/v2/imports/sessions?${new URLSearchParams(target)}`, '<html>');
  }

  async #import(
    kind: 'sessions' | 'subscriptions',
    target: Record<string, string>,
    items: readonly (SourcedSession | LocatedSubscription)[],
  ): Promise<void> {
    const path = `/api/v2/imports/${kind}?${new URLSearchParams(target)}`;
    const changed = items
      .map(({ line }) => ({ key: `${path} ${keyOf(line)}`, text: JSON.stringify(line) }))
      .filter(({ key, text }) => this.#sent.get(key) !== text);

    const body = changed.map(({ text }) => text).join('\n');
    const answer = importAnswer.parse(await this.#importer.succeed('POST', path, body));
    if (answer.rejected > 0) {
      throw new Error(`the import of ${kind} rejected lines: ${JSON.stringify(answer.errors.slice(0, 3))}`);
    }
    for (const { key, text } of changed) this.#sent.set(key, text);
  }
}

/** Puts each city into a database of its own, as far as they go. Cities that are there already stay where they are. */
async function configure(
  administrator: ServiceClient,
  areas: readonly DemoArea[],
  databases: readonly string[],
): Promise<void> {
  const path = '/api/v2/admin/configuration';
  if (databases.length > 1) {
    const { status } = await administrator.send('PUT', path, configurationDocument(areas, databases));
    if (status === 200) return;
  }
  await administrator.succeed('PUT', path, configurationDocument(areas));
}

const sourceOf = (city: string, source: string) => ({ municipality_code: city, source_code: source });

function keyOf(line: SessionLine | SubscriptionLine): string {
  return 'session_id' in line ? line.session_id : line.subscription_number;
}
