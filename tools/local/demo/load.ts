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
import {
  type LocatedSubscription,
  type SessionLine,
  type SourcedSession,
  type SubscriptionLine,
  timeText,
} from './lines.ts';
import { stageObjections } from './objections.ts';
import { PATROL_CITY, patrolSessions, patrolSubscriptions, unreadableLine } from './patrol-street.ts';
import { ordinarySubscriptions } from './residents.ts';
import { takeBackSales } from './sale.ts';
import { ordinarySessions } from './sessions.ts';
import { showcaseSessions, showcaseSubscriptions } from './showcase-lines.ts';

const importAnswer = z.object({ rejected: z.int(), errors: z.array(z.unknown()) });

/** The demonstration's data in a running service. Loaded over HTTP with its public operations, like any tenant's. */
export class Demonstration {
  readonly tokens: Tokens;
  /** When the officer made the checks that the objections are about. */
  readonly askedAt: string;
  /** When the money of the printed sale is collected. */
  readonly soldAt: string;
  readonly #importer: ServiceClient;
  readonly #areas: readonly DemoArea[];
  /** The lines that the service has, so that a refresh sends only changed lines. */
  readonly #sent = new Map<string, string>();

  private constructor(
    importer: ServiceClient,
    areas: readonly DemoArea[],
    tokens: Tokens,
    { askedAt, now }: { askedAt: string; now: Instant },
  ) {
    this.tokens = tokens;
    this.askedAt = askedAt;
    this.soldAt = timeText(now);
    this.#areas = areas;
    this.#importer = importer;
  }

  /**
   * Configures the cities, issues the credentials, and imports the sessions and subscriptions of an instant.
   *
   * @param stateDir the directory of the tokens
   */
  static async load(
    address: string,
    adminToken: string,
    stateDir: string,
    now: Instant,
  ): Promise<Demonstration> {
    const areas = readAreas();
    const isFirst = !existsSync(tokensFile(stateDir));
    const administrator = new ServiceClient(address, adminToken);
    await administrator.succeed('PUT', '/api/v2/admin/configuration', configurationDocument(areas));
    const tokens = await obtainTokens(address, administrator, stateDir);

    const importer = new ServiceClient(address, tokens.importer);
    const officer = new ServiceClient(address, tokens.office);
    const askedAt = await stageObjections({ administrator, importer, officer }, stateDir, now);
    const demonstration = new Demonstration(importer, areas, tokens, { askedAt, now });
    await demonstration.#send('sessions', sourceOf(PATROL_CITY, 'booking'), unreadableLine(now));
    await demonstration.refresh(now);
    await takeBackSales(new ServiceClient(address, tokens.meter), now);
    if (isFirst) {
      await demonstration.#import('sessions', sourceOf(TROUBLED_CITY, SILENT_SOURCE), []);
    }
    return demonstration;
  }

  /**
   * Imports the changes since the last refresh: sessions and subscriptions that ended are replaced under their own keys.
   * Every source reports, even without changes, as a real one does.
   */
  async refresh(now: Instant): Promise<void> {
    await this.#importSessions(this.#sessionsAt(now));
    const cities = municipalityCodes(this.#areas);
    const subscriptions = [
      ...ordinarySubscriptions(cities, now),
      ...showcaseSubscriptions(now),
      ...patrolSubscriptions(now),
    ];
    for (const city of cities) {
      const ofCity = subscriptions.filter(({ municipalityCode }) => municipalityCode === city);
      await this.#import('subscriptions', { municipality_code: city }, ofCity);
    }
    await this.#fail(sourceOf(TROUBLED_CITY, FAILING_SOURCE));
  }

  #sessionsAt(now: Instant): SourcedSession[] {
    const ordinary = ordinarySessions(this.#areas, now);
    return [...ordinary, ...showcaseSessions(now), ...patrolSessions(now)];
  }

  async #importSessions(sessions: readonly SourcedSession[]): Promise<void> {
    for (const city of municipalityCodes(this.#areas)) {
      for (const { code: source } of SOURCES) {
        const ofSource = sessions.filter(
          ({ municipalityCode, sourceCode }) => municipalityCode === city && sourceCode === source,
        );
        await this.#import('sessions', sourceOf(city, source), ofSource);
      }
    }
  }

  /** Sends a text that is not a line, like a partner's broken export. It is recorded as a failed import. */
  #fail(target: Record<string, string>): Promise<unknown> {
    return this.#send('sessions', target, '<html>');
  }

  async #import(
    kind: 'sessions' | 'subscriptions',
    target: Record<string, string>,
    items: readonly (SourcedSession | LocatedSubscription)[],
  ): Promise<void> {
    const changed = items
      .map(({ line }) => ({ key: sentKey(kind, target, line), text: JSON.stringify(line) }))
      .filter(({ key, text }) => this.#sent.get(key) !== text);

    const body = changed.map(({ text }) => text).join('\n');
    const answer = importAnswer.parse(await this.#send(kind, target, body));
    if (answer.rejected > 0) {
      throw new Error(`the import of ${kind} rejected lines: ${JSON.stringify(answer.errors.slice(0, 3))}`);
    }
    for (const { key, text } of changed) this.#sent.set(key, text);
  }

  #send(kind: 'sessions' | 'subscriptions', target: Record<string, string>, body: string): Promise<unknown> {
    return this.#importer.succeed('POST', `/api/v2/imports/${kind}?${new URLSearchParams(target)}`, body);
  }
}

const sourceOf = (city: string, source: string) => ({ municipality_code: city, source_code: source });

function sentKey(
  kind: 'sessions' | 'subscriptions',
  target: Record<string, string>,
  line: SessionLine | SubscriptionLine,
): string {
  const key = 'session_id' in line ? line.session_id : line.subscription_number;
  return JSON.stringify([kind, target, key]);
}
