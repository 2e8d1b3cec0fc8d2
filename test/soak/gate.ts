// A gate under fire: whatever happens to the network and the service, no decision is wrong, late or groundless.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Action, createGate, type Gate, type GateEvent } from '../../clients/client/gate/index.ts';
import { fileStore } from '../../clients/client/node/index.ts';
import { takeNoArguments } from '../../tools/command-line.ts';
import { Random } from '../domain/random.ts';
import { ASK_WITHIN_MS, violations } from './gate/invariants.ts';
import { KillableService } from './gate/killable-service.ts';
import { Lateness } from './gate/lateness.ts';
import { Network } from './gate/network.ts';
import { Tally } from './gate/tally.ts';
import { AREA, Town } from './gate/town.ts';
import { TROUBLES, weather } from './gate/weather.ts';

takeNoArguments('npm run soak:gate: a gate under fire; SOAK_MINUTES says how long (10)');

const MINUTES = Number(process.env.SOAK_MINUTES ?? 10);
const SEED = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 1e9));
const CAR_EVERY_MS = 30;
const TRADE_EVERY_MS = 500;
/** Oftener than the service asks for, so that refreshes meet every trouble. */
const REFRESH_EVERY_MS = 1_500;
/** A gate restarts from its file. */
const RESTART_EVERY_MS = 9_000;
const STALL_NOTED_MS = 50;
const PROBE_EVERY_MS = 500;
/** From the moment that the way is clear: the interval, a probe that still hangs, and the next car. */
const BACK_WITHIN_MS = PROBE_EVERY_MS * 2 + CAR_EVERY_MS * 10;

const random = new Random(SEED);
const folder = mkdtempSync(join(tmpdir(), 'gates-'));
const lateness = new Lateness();
console.log(`seed ${SEED}, ${MINUTES} min`);

const service = new KillableService();
await service.start(true);
const town = new Town(new Random(SEED + 1), () => service.address);
const token = await town.found();
await town.trade();
const network = await Network.start(() => service.address, new Random(SEED + 2));
const tally = new Tally();
const endsAt = performance.now() + MINUTES * 60_000;
/** A short run, too, meets every trouble. */
const isOver = (): boolean => performance.now() >= endsAt && tally.troubles >= TROUBLES.length;
let clearSince = performance.now();

/** A gate of one policy, which is restarted from its file now and then. */
class TestedGate {
  readonly whenUnknown: Action;
  readonly lists = new Set<string>();
  gate: Gate;

  constructor(whenUnknown: Action) {
    this.whenUnknown = whenUnknown;
    this.gate = this.#made();
  }

  async restart(): Promise<void> {
    await this.gate.close();
    this.gate = this.#made();
    await this.gate.loaded;
  }

  #made(): Gate {
    return createGate({
      ...{ baseUrl: network.address, token, areaCode: AREA, whenUnknown: this.whenUnknown },
      ...{ askWithinMs: ASK_WITHIN_MS, probeEveryMs: PROBE_EVERY_MS },
      store: fileStore(join(folder, this.whenUnknown)),
      onEvent: (event) => this.#heard(event),
    });
  }

  #heard(event: GateEvent): void {
    if (event.type === 'list_refreshed' || event.type === 'list_loaded') this.lists.add(event.asOf);
    tally.event(event);
  }
}

const gates = [new TestedGate('ask_attendant'), new TestedGate('stay_shut')];
try {
  await Promise.all(gates.map(({ gate }) => gate.refresh()));
  await Promise.all([
    storm(),
    repeatedly(TRADE_EVERY_MS, () => town.trade()),
    ...gates.flatMap((tested) => [
      arrivals(tested),
      repeatedly(REFRESH_EVERY_MS, () => tested.gate.refresh()),
      repeatedly(RESTART_EVERY_MS, () => tested.restart()),
    ]),
  ]);
} finally {
  await Promise.all(gates.map(({ gate }) => gate.close()));
  lateness.stop();
  await network.stop();
  await service.remove();
  rmSync(folder, { recursive: true });
}
tally.report();

/** One trouble after the other, and clear ways between. */
async function storm(): Promise<void> {
  for (const { trouble, forMs } of weather(random)) {
    if (isOver()) return;
    network.trouble = trouble;
    if (trouble !== null) tally.trouble(trouble);
    if (trouble === 'killed') await service.kill();
    await wait(forMs);
    if (trouble === 'killed') await service.start();
    network.trouble = null;
    if (trouble !== null) clearSince = performance.now();
  }
}

/** Cars come one after the other; nobody waits for the decision about the one before. */
async function arrivals(tested: TestedGate): Promise<void> {
  const waiting = new Set<Promise<void>>();
  await repeatedly(CAR_EVERY_MS, async () => {
    const one = arrival(tested).finally(() => waiting.delete(one));
    waiting.add(one);
  });
  await Promise.all(waiting);
}

async function arrival(tested: TestedGate): Promise<void> {
  // Two in three come soon after they have bought.
  const recent = town.cars.filter(({ titles }) => titles.length > 0);
  const car = random.oneIn(3) || recent.length === 0 ? random.pick(town.cars) : random.pick(recent);
  const startedAt = Date.now();
  const startedSteady = performance.now();
  const circuitWasOpen = tested.gate.status().circuit === 'open';
  const decision = await tested.gate.decide(car.plate, random.pick(['entry', 'verify'] as const));
  const endedAt = Date.now();
  // The way has been clear long enough, and is so still; the service itself was not held up by a busy machine.
  const clearFor = network.trouble === null ? startedSteady - clearSince : 0;
  const isServiceQuick = network.slowSince < clearSince;
  // A stall of this process is on the books only after it: the decision may be there before.
  await wait(STALL_NOTED_MS);
  const latenessMs = lateness.recentMs();
  const decided = {
    ...{ car, decision, whenUnknown: tested.whenUnknown, startedAt, endedAt, circuitWasOpen, latenessMs },
    lists: tested.lists,
    passedOn: decision.requestId === null ? undefined : network.passedOn.get(decision.requestId),
  };
  const wrong = violations(decided);
  const isBack = isServiceQuick && clearFor > BACK_WITHIN_MS + latenessMs;
  if (isBack && decision.basis !== 'service') wrong.push('the service was back, and not asked');
  tally.decided(decided, isBack, wrong);
}

async function repeatedly(everyMs: number, action: () => Promise<unknown>): Promise<void> {
  while (!isOver()) {
    await action();
    await wait(everyMs);
  }
}
