// A gate at work, against the service of `npm start`: stop the service, and the list decides; start it, and
// the gate asks it again.

import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createGate, type Decision } from '../../clients/client/gate/index.ts';
import { fileStore } from '../../clients/client/node/index.ts';
import { readCommandLine } from '../command-line.ts';
import { keptTokens } from '../local/demo/credentials.ts';
import { print, printFailure } from '../print.ts';
import { cars, GATE } from './cars.ts';
import { decisionRow, eventRow, summary } from './screen.ts';

const USAGE = `npm run gate -- [--port N] [--state DIR]
  --port N      the port that npm start listens on (8787)
  --state DIR   the folder that npm start keeps its data in (.state)`;

/** Between two cars, and two probes: sooner than a gate needs it, so that the viewer need not wait. */
const EVERY_MS = 2_000;

const decisions: Decision[] = [];
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => ending.abort());
// The reader of a pipe may close it: that is not a failure.
process.stdout.on('error', () => ending.abort());

try {
  const { values } = readCommandLine(USAGE, {
    options: {
      port: { type: 'string', default: '8787' },
      state: { type: 'string', default: '.state' },
    },
  });
  await run(values.port, resolve(values.state));
} catch (error) {
  printFailure(error);
  process.exitCode = 1;
}

async function run(port: string, stateDir: string): Promise<void> {
  const baseUrl = `http://localhost:${port}`;
  const { barrier: token } = keptTokens(stateDir);
  if (token === undefined) {
    throw new Error(`There is no token in ${stateDir}. Run npm start in another terminal first.`);
  }
  const gate = createGate({
    ...{ baseUrl, token, ...GATE, whenUnknown: 'ask_attendant' },
    probeEveryMs: EVERY_MS,
    store: fileStore(join(stateDir, `gate-${GATE.areaCode}.ndjson`)),
    onEvent: (event) => {
      const row = eventRow(event, new Date());
      if (row !== null) print(row);
    },
  });
  print(`The gate of ${GATE.areaCode} asks ${baseUrl}; when neither it nor the list knows, the attendant decides.
Stop the service in its terminal: the list decides. Start it again: the gate asks it again. Ctrl-C ends it.
`);
  await gate.loaded;
  for (const car of cars()) {
    if (ending.signal.aborted) break;
    const decision = await gate.decide(car.plate, car.event);
    decisions.push(decision);
    print(decisionRow(car, decision, new Date()));
    await wait(EVERY_MS, undefined, { signal: ending.signal }).catch(() => {});
  }
  await gate.close();
  print(`\n${summary(decisions)}`);
}
