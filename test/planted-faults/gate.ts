import type { Fault } from './fault.ts';

export const GATE: readonly Fault[] = [
  {
    breaks: 'A list counts at the instant at which it ends',
    file: 'clients/client/gate/conclude.ts',
    find: 'facts.validUntil <= now',
    replacement: 'facts.validUntil < now',
    reach: ['test/gate/conclude.node.test.ts'],
  },
  {
    breaks: 'A list is believed by a clock that is far behind',
    file: 'clients/client/gate/conclude.ts',
    find: 'now < facts.asOf - MAX_BEHIND_MS',
    replacement: 'now < 0',
    reach: ['test/gate/conclude.node.test.ts'],
  },
  {
    breaks: 'A car that leaves late is not in the list any more',
    file: 'clients/client/gate/held-list.ts',
    find: 'entry.until <= at - KEPT_AFTER_END_MS',
    replacement: 'entry.until <= at',
    reach: ['test/gate/held-list.node.test.ts'],
  },
  {
    breaks: 'Drivers wait for one failure more',
    file: 'clients/client/gate/circuit.ts',
    find: 'failures < settings.failuresToOpen',
    replacement: 'failures <= settings.failuresToOpen',
    reach: ['test/gate/circuit.node.test.ts'],
  },
  {
    breaks: 'A service that fails its trial goes on being asked',
    file: 'clients/client/gate/circuit.ts',
    find: "case 'trial':\n      return openCircuit(now, settings);",
    replacement: "case 'trial':\n      return circuit;",
    reach: ['test/gate/circuit.node.test.ts'],
  },
  {
    breaks: 'A failure of the service is read as its refusal',
    file: 'clients/client/calls/judge.ts',
    find: "if (status >= 500) return 'unavailable';",
    replacement: "if (status > 500) return 'unavailable';",
    reach: ['test/client/judge.node.test.ts'],
  },
  {
    breaks: 'An answer to another call is believed',
    file: 'clients/client/calls/judge.ts',
    find: 'header === null || requestId === header',
    replacement: 'header === null || requestId !== null',
    reach: ['test/client/judge.node.test.ts'],
  },
  {
    breaks: 'An answer about another car opens the gate',
    file: 'clients/client/gate/service-answer.ts',
    find: 'answer.plate !== plate || answer.area',
    replacement: 'answer.area',
    reach: ['test/gate/failing-service.node.test.ts'],
  },
  {
    breaks: 'Pages of two lists are put together',
    file: 'clients/client/gate/gathering.ts',
    find: ' ||\n    (gathering !== null && facts.asOf !== gathering.facts.asOf)',
    replacement: '',
    reach: ['test/gate/list.node.test.ts'],
  },
  {
    breaks: 'Two saves of a list run at once',
    file: 'clients/client/gate/store-guard.ts',
    find: 'if (this.#isSaving) {',
    replacement: 'if (this.#isSaving && !kept) {',
    reach: ['test/gate/slow-store.node.test.ts'],
  },
];
