import type { Chapter } from './chapter.ts';
import { administrate, type City, foundCity } from './city.ts';
import { file, LINES } from './imports.ts';
import { startRuntime } from './runtime.ts';

const FILES = 25;
const GB = 1e9;

/** A city of 500,000 sessions and 10,000 subscriptions that moves to another database, and back. */
export const move: Chapter = async ({ rounds }) => {
  const runtime = await startRuntime({ databases: 2 });
  try {
    const city = await foundCity(runtime, 0);
    const before = await bytesOf(city);
    for (let index = 0; index < FILES; index += 1) await importFile(city, `f${index}-`);
    const bytes = (await bytesOf(city)) - before;
    const moves: Moved[] = [];
    for (let round = 0; round < rounds; round += 1) {
      moves.push(await moveTo(city, round % 2 === 0 ? 'DB_2' : 'DB'));
    }
    const what = `move of a city with ${FILES * LINES} sessions (${Math.round(bytes / 1e6)} MB)`;
    return {
      figures: [
        { what, unit: 's', rounds: moves.map(({ seconds }) => seconds) },
        { what: `${what}: time`, unit: 's/GB', rounds: moves.map(({ seconds }) => seconds / (bytes / GB)) },
        {
          what: `${what}: longest call`,
          unit: 's',
          goal: '≤ 5',
          rounds: moves.map(({ longest }) => longest),
        },
        { what: `${what}: rows`, unit: 'rows', rounds: moves.map(({ copied }) => copied) },
      ],
    };
  } finally {
    await runtime.stop();
  }
};

/** What the home holds. */
async function bytesOf({ runtime }: City): Promise<number> {
  const row = await runtime.db.prepare('select count(*) as there from municipalities').run();
  return row.meta.size_after;
}

async function importFile({ runtime, token }: City, prefix: string): Promise<void> {
  const query = 'municipality_code=H501&source_code=app';
  const response = await fetch(`${runtime.service}/api/v2/imports/sessions?${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
    body: file(prefix),
  });
  const answer = await response.text();
  if (!answer.includes(`"created":${LINES}`)) {
    throw new Error(`sessions import: ${answer.slice(0, 1_000)}`);
  }
}

interface Moved {
  readonly seconds: number;
  readonly longest: number;
  readonly copied: number;
}

/** Calls the move of the city until it is done. */
export async function moveTo({ runtime }: City, to: string): Promise<Moved> {
  const calls: number[] = [];
  for (let copied = 0; ; ) {
    const startedAt = performance.now();
    const answer = await administrate(runtime, 'POST', 'municipalities/H501/move', { to });
    calls.push((performance.now() - startedAt) / 1_000);
    copied = Math.max(copied, Number(answer.copied));
    if (answer.state === 'done') {
      return { seconds: calls.reduce((sum, one) => sum + one, 0), longest: Math.max(...calls), copied };
    }
  }
}
