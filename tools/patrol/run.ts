// An officer walks through a car park of the demonstration that `npm start` runs: the answers of a plain
// check and of the patrol about each car.

import { resolve } from 'node:path';
import { styleText } from 'node:util';
import { type Answer, createClient, type Result } from '../../clients/client/index.ts';
import { createPatrol, nextStep, type PatrolItem } from '../../clients/client/patrol/index.ts';
import { marked } from '../../clients/parking/terminal/door.ts';
import { instant, MINUTE_MS } from '../../src/domain/instant.ts';
import { readCommandLine } from '../command-line.ts';
import { keptToken } from '../local/demo/credentials.ts';
import { PATROL_CITY } from '../local/demo/patrol-street.ts';
import { print, printError, shown } from '../print.ts';
import { type ParkedCar, type Walk, walkThrough } from './walk.ts';

const USAGE = `npm run patrol -- [--port N] [--state DIR] [--once]
  --port N      the port that npm start listens on (8787)
  --state DIR   the folder that npm start keeps its data in (.state)
  --once        ends after the first look at each car`;

const STEPS = {
  issue: { text: 'may fine', style: 'red' },
  let_go: { text: 'lets it go', style: 'green' },
  look_again: { text: 'looks again', style: 'yellow' },
  officer_decides: { text: 'looks closely', style: 'yellow' },
} as const;

const ending = new AbortController();
process.once('SIGINT', () => ending.abort());
process.once('SIGTERM', () => ending.abort());

try {
  const { values } = readCommandLine(USAGE, {
    options: {
      port: { type: 'string', default: '8787' },
      state: { type: 'string', default: '.state' },
      once: { type: 'boolean', default: false },
    },
  });
  await walk(`http://localhost:${values.port}`, resolve(values.state), values.once);
} catch (error) {
  printError(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

async function walk(baseUrl: string, stateDir: string, isOnce: boolean): Promise<void> {
  const token = keptToken(stateDir, 'patrol');
  if (token === null)
    throw new Error(`There is no token in ${stateDir}. Run npm start in another terminal first.`);
  const street = walkThrough(instant(Date.now()));
  print(`${street.name}. The plain check, then the patrol:\n`);
  const open = await lookAtAll(baseUrl, token, street);
  if (isOnce || open.length === 0 || ending.signal.aborted) return;
  print(`\n${open.length} to look at again, when it is worth it. Ctrl-C ends it.\n`);
  await lookAgain(baseUrl, token, open);
}

/** A car with a doubt that waiting settles, and when it was seen. */
interface Open {
  readonly car: ParkedCar;
  readonly seenAt: Date;
}

async function lookAtAll(baseUrl: string, token: string, { cars }: Walk): Promise<Open[]> {
  const client = createClient({ baseUrl, token });
  const place = { municipality_code: PATROL_CITY };
  const checks = cars.map(({ plate, areaCode, minutesAgo }, index) => ({
    ...{ id: String(index), plate, area_code: areaCode },
    seen_at: new Date(Date.now() - minutesAgo * MINUTE_MS).toISOString(),
  }));
  const result = await client.checkPatrol({ ...place, checks }, { officerReference: 'badge-0417' });
  if (!result.ok) {
    const advice = result.code === 'NETWORK_ERROR' ? ' Run npm start in another terminal first.' : '';
    throw new Error(`The patrol got no answer: ${result.message ?? result.code}${advice}`);
  }
  const open: Open[] = [];
  for (const [index, car] of cars.entries()) {
    const { plate } = car;
    const seen_at = checks[index]?.seen_at ?? '';
    const plain = await client.checkPlate({ ...place, plate, area_code: car.areaCode, checked_at: seen_at });
    const item = result.answer.results.find(({ id }) => id === String(index));
    const step = nextStep(result, String(index));
    print(`${plate.padEnd(9)} ${plainWord(plain).padEnd(13)} ${rowOf(step, item)}`);
    print(`${' '.repeat(10)}${car.story}`);
    if (step === 'look_again') open.push({ car, seenAt: new Date(seen_at) });
  }
  return open;
}

/** What an officer would do who has the plain check alone. */
function plainWord(plain: Result<Answer<'checkPlate'>>): string {
  if (!plain.ok) return 'no answer';
  return plain.answer.has_valid_entitlement ? 'lets it go' : 'would fine';
}

/** Until each is settled, or the viewer stops it. */
async function lookAgain(baseUrl: string, token: string, open: readonly Open[]): Promise<void> {
  let left = open.length;
  const patrol = createPatrol({
    ...{ baseUrl, token, municipalityCode: PATROL_CITY, officerReference: 'badge-0417' },
    onSettled: ({ plate, step, item }) => {
      print(`${plate.padEnd(9)} ${'second look  '} ${rowOf(step, item ?? undefined)}`);
      left -= 1;
      if (left === 0) ending.abort();
    },
    onFailure: (failure) => print(`no answer: ${failure.message ?? ''}`),
  });
  for (const { car, seenAt } of open) await patrol.see({ plate: car.plate, areaCode: car.areaCode, seenAt });
  if (!ending.signal.aborted) {
    await new Promise((end) => ending.signal.addEventListener('abort', end, { once: true }));
  }
  await patrol.close();
}

function rowOf(step: keyof typeof STEPS, item: PatrolItem | undefined): string {
  const { text, style } = STEPS[step];
  if (item === undefined || 'refused' in item) return `${text} (${item?.refused.code ?? 'no answer'})`;
  const until = item.look_again_at === null ? '' : ` at ${item.look_again_at.slice(11, 19)}`;
  const doubts = item.doubts.map(({ code, source_code: source, area }) =>
    [code, source ?? area?.code].filter((part) => part !== undefined).join(' '),
  );
  const why = doubts.length === 0 ? item.finding : `${item.finding}: ${doubts.join(', ')}`;
  return `${marked(styleText(style, shown(`${text}${until}`.padEnd(24))))} ${why}`;
}
