import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, createClient } from '../../../clients/client/index.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/domain/instant.ts';
import { CITIES } from './areas.ts';
import { answerOf } from './client.ts';
import { SALE_PLATE, TERMINAL, type Times } from './commands.ts';
import {
  CONFIGURATION,
  FAILING_SOURCE,
  SILENT_SOURCE,
  SMALL_FACILITY,
  SOURCES,
  TROUBLED_CITY,
} from './configuration.ts';
import { type Holder, obtainTokens, type Tokens, tokensFile } from './credentials.ts';
import { type Lines, linesAt, OBJECTIONS, SHOWN, TORINO } from './plates.ts';
import { ordinaryTraffic } from './traffic.ts';

/** The longest window of a search. An older sale has expired. */
const WINDOW_MS = 31 * DAY_MS - MINUTE_MS;

export interface Demonstration {
  readonly tokens: Tokens;
  readonly times: Times;
  /** Imports the sessions and subscriptions of an instant: what has ended is replaced under its own key. */
  readonly refresh: (now: number) => Promise<void>;
}

/**
 * Loads the demonstration into a running service, over HTTP with its public operations, like any tenant's data. A second
 * time it renews what has aged.
 *
 * @param stateDir the folder of the tokens
 */
export async function loadDemonstration(
  baseUrl: string,
  administratorToken: string,
  stateDir: string,
  now: number,
): Promise<Demonstration> {
  const isFirst = !existsSync(tokensFile(stateDir));
  const administrator = createClient({ baseUrl, administratorToken });
  await answerOf(administrator.putConfiguration(CONFIGURATION));
  const tokens = await obtainTokens(baseUrl, administrator, stateDir);
  const clientOf = (holder: Holder): Client => createClient({ baseUrl, token: tokens[holder] });
  const importer = clientOf('importer');

  const askedAt = await stageObjections(
    { administrator, importer, officer: clientOf('office') },
    stateDir,
    now,
  );
  const refresh = async (at: number): Promise<void> => {
    await importLines(importer, linesAt(at, SHOWN));
    await importLines(importer, ordinaryTraffic(at));
    // Like a partner's broken export. It is recorded as a failed import.
    await importSessions(importer, TROUBLED_CITY, FAILING_SOURCE, ['<html>']);
  };
  await refresh(now);
  await takeBackSales(clientOf('meter'), now);
  if (isFirst) await importSessions(importer, TROUBLED_CITY, SILENT_SOURCE, []);
  return { tokens, times: { now: new Date(now).toISOString(), askedAt }, refresh };
}

/** Every source reports, even without lines, as a real one does. */
async function importLines(importer: Client, { sessions, subscriptions }: Lines): Promise<void> {
  for (const city of CITIES) {
    for (const { code } of SOURCES) {
      const ofSource = sessions.filter((session) => session.city === city && session.source === code);
      const lines = ofSource.map(({ line }) => line);
      await importSessions(importer, city, code, lines);
    }
    const ofCity = subscriptions.filter((subscription) => subscription.city === city);
    const lines = ofCity.map(({ line }) => line);
    await answerOf(importer.importSubscriptions({ lines }, { municipality_code: city }));
  }
}

const importSessions = (
  importer: Client,
  city: string,
  source: string,
  lines: readonly (object | string)[],
) => answerOf(importer.importSessions({ lines }, { municipality_code: city, source_code: source }));

interface Clients {
  readonly administrator: Client;
  readonly importer: Client;
  readonly officer: Client;
}

/**
 * Stages the objections, once: imports what was known before, makes the officer's checks, and imports what came after.
 *
 * @returns when the officer made the checks; kept for later starts
 */
async function stageObjections(
  { administrator, importer, officer }: Clients,
  stateDir: string,
  now: number,
): Promise<string> {
  const file = join(stateDir, 'demonstration-objections.json');
  if (existsSync(file)) {
    return JSON.parse(readFileSync(file, 'utf8')).asked_at;
  }
  // One of them is about an exit tolerance that was shortened later.
  const areas = [{ code: SMALL_FACILITY, facility: { exit_grace_minutes: 45 } }];
  await answerOf(administrator.putConfiguration({ municipalities: [{ code: TORINO, areas }] }));
  const before = OBJECTIONS.map((plate) => ({ ...plate, sessions: [], subscriptions: [], ...plate.before }));
  await importLines(importer, linesAt(now, before));
  let asked_at = '';
  for (const { plate, objection } of OBJECTIONS) {
    const body = { municipality_code: TORINO, plate, area_code: SMALL_FACILITY, event: objection.event };
    // The last check's instant: the data is the same at all of them.
    asked_at = (await answerOf(officer.checkPlate(body))).checked_at;
  }
  await importLines(importer, linesAt(now, OBJECTIONS));
  await answerOf(administrator.putConfiguration(CONFIGURATION));
  writeFileSync(file, `${JSON.stringify({ asked_at })}\n`);
  return asked_at;
}

/** Reverses the sales of earlier starts, the last one first, so that the plate can buy again. */
async function takeBackSales(meter: Client, now: number): Promise<void> {
  const { payments } = await answerOf(
    meter.findPayments({
      from: new Date(now - WINDOW_MS).toISOString(),
      until: new Date(now + MINUTE_MS).toISOString(),
      terminal_code: TERMINAL,
      state: 'accepted',
    }),
  );
  for (const { payment_id } of payments.filter(({ plate }) => plate === SALE_PLATE).reverse()) {
    await answerOf(meter.reversePayment({ payment_id, reversed_at: new Date(now).toISOString() }));
  }
}
