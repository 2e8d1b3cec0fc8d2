import type { Chapter, Figure } from './chapter.ts';
import { type City, foundCity, issueToken } from './city.ts';
import { DELAY_HEADER, type Distances, TIMES_HEADER, type Times } from './distances.ts';
import { summaryOf } from './rounds.ts';
import { startRuntime } from './runtime.ts';
import {
  type Asked,
  answerTo,
  plateCheckGranted,
  reportFromSnapshot,
  type Subject,
  subscriptionOptions,
} from './subjects.ts';

const SESSIONS = 1_000;
/** Callers of each kind in a round: each in a Worker with an isolate of its own, then the others in the same one. */
const FRESH_ISOLATES = 3;
const CALLERS_OF_AN_ISOLATE = 8;

const FAR_DATABASE: Distances = { object: 25, database: 40, kv: 10 };
const FAR_OBJECT: Distances = { object: 40, database: 25, kv: 10 };

interface Kind {
  readonly what: string;
  readonly subject: (asked: Asked) => Subject;
  /** What cannot be spared: the bindings that the call needs, side by side where they can be. */
  readonly leastMs: (times: Times) => number;
  readonly beside: string;
}

const slowerOfTwo = ({ objectMs, readMs }: Times): number => Math.max(objectMs, readMs);

const KINDS: readonly Kind[] = [
  {
    what: 'check',
    subject: (asked) => named(plateCheckGranted(asked)),
    leastMs: slowerOfTwo,
    beside: 'the slower of object and reading',
  },
  {
    what: 'check that names no municipality',
    subject: plateCheckGranted,
    leastMs: slowerOfTwo,
    beside: 'the slower of object and reading',
  },
  {
    what: 'options query',
    subject: (asked) => named(subscriptionOptions(asked)),
    leastMs: (times) => slowerOfTwo(times) + times.insertMs,
    beside: 'the slower of object and reading, then the insert',
  },
  {
    what: 'report',
    subject: (asked) => named(reportFromSnapshot(asked, Date.now)),
    leastMs: ({ objectMs, kvMs }) => Math.max(objectMs, kvMs),
    beside: 'the slower of object and KV',
  },
];

const PLACES = [
  ['object 25 ms, database 40 ms', FAR_DATABASE],
  ['object 40 ms, database 25 ms', FAR_OBJECT],
] as const;

/**
 * Callers that ask once and are not seen again: hundreds of credentials with one call each, in isolates that have never
 * seen them, of a service whose bindings are a continent away. An answer is held beside the bindings that it needs.
 */
export const sparse: Chapter = async ({ rounds }) => {
  const figures = new Map<string, Figure & { readonly rounds: number[] }>();
  for (let round = 0; round < rounds; round += 1) {
    for (const { ratio, ...figure } of await measureRound()) {
      const known = figures.get(figure.what) ?? { ...figure, rounds: [] };
      known.rounds.push(ratio);
      figures.set(figure.what, known);
    }
  }
  return { figures: [...figures.values()] };
};

type Measured = Omit<Figure, 'rounds'> & { readonly ratio: number };

/** A round has a runtime of its own: an isolate is fresh once. */
async function measureRound(): Promise<Measured[]> {
  const cases = PLACES.flatMap(([place, distances]) => KINDS.map((kind) => ({ place, distances, kind })));
  const runtime = await startRuntime({ delayed: cases.length * FRESH_ISOLATES });
  try {
    const city = await foundCity(runtime, SESSIONS);
    await runtime.cron('* * * * *');
    const measured: Measured[] = [];
    for (const [index, { place, distances, kind }] of cases.entries()) {
      const isolates = runtime.delayed.slice(index * FRESH_ISOLATES, (index + 1) * FRESH_ISOLATES);
      const [first, sparse] = await ratiosOf(city, kind, distances, isolates);
      const figure = { beside: kind.beside, unit: '×', goal: '≤ 1.1' } as const;
      measured.push(
        { ...figure, what: `first ${kind.what} of a caller, ${place}`, ratio: summaryOf(sparse).median },
        {
          ...figure,
          what: `the same, first call of its isolate too: ${kind.what}, ${place}`,
          ratio: summaryOf(first).median,
        },
      );
    }
    return measured;
  } finally {
    await runtime.stop();
  }
}

/** The isolates' first calls, and those after them, each of a credential that has not been seen before. */
async function ratiosOf(
  { runtime }: City,
  kind: Kind,
  distances: Distances,
  isolates: readonly string[],
): Promise<[first: number[], sparse: number[]]> {
  const [first, sparse]: [number[], number[]] = [[], []];
  for (const service of isolates) {
    for (let caller = 0; caller < CALLERS_OF_AN_ISOLATE; caller += 1) {
      const token = await issueToken(runtime);
      const times = await timesOf(kind.subject({ runtime: { ...runtime, service }, token }), distances);
      (caller === 0 ? first : sparse).push(times.totalMs / kind.leastMs(times));
    }
  }
  return [first, sparse];
}

async function timesOf({ target, ...subject }: Subject, distances: Distances): Promise<Times> {
  const headers = { ...target.headers, [DELAY_HEADER]: JSON.stringify(distances) };
  const { headers: answered } = await answerTo({ ...subject, target: { ...target, headers } });
  // What `delayed.ts` sends.
  return JSON.parse(answered.get(TIMES_HEADER) ?? '') as Times;
}

/** The same call with the municipality in its body. */
function named({ target, ...subject }: Subject): Subject {
  const body = { ...JSON.parse(target.body ?? '{}'), municipality_code: 'H501' };
  return { ...subject, target: { ...target, body: JSON.stringify(body) } };
}
