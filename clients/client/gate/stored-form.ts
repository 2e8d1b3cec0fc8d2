import { parseInstant } from '../../../src/domain/instant.ts';
import { type JsonObject, parseObject } from '../json.ts';
import { pageOf } from '../list/wire.ts';
import { HeldList } from './held-list.ts';

/** How many lines are written or read at once: a decision must not wait for a long list. */
const LINES_AT_ONCE = 500;

/**
 * Writes a line of the gate's own, and then the list of now as the service writes a full one, however late the text is
 * read.
 */
export function storedForm(list: HeldList): AsyncGenerator<string, void, void> {
  const gate = { type: 'gate', version: 1, full_as_of: list.fullAsOf };
  const lines = [...list.entries()];
  const end = { type: 'end', cursor: list.cursor, more: false, lines: lines.length };
  return textOf([gate, { ...list.header, mode: 'full' }, ...lines, end]);
}

async function* textOf(lines: readonly object[]): AsyncGenerator<string, void, void> {
  for (let from = 0; from < lines.length; from += LINES_AT_ONCE) {
    yield lines
      .slice(from, from + LINES_AT_ONCE)
      .map((line) => `${JSON.stringify(line)}\n`)
      .join('');
    await aTurn();
  }
}

/** Reads the stored text; null when it is incomplete. */
export async function readStoredForm(
  text: AsyncIterable<string> | Iterable<string>,
): Promise<HeldList | null> {
  const [gate, ...lines] = await objectsIn(text);
  const page = pageOf(lines);
  if (page === null || gate?.type !== 'gate' || gate.version !== 1) return null;
  const { full_as_of: fullAsOf } = gate;
  if (typeof fullAsOf !== 'string' || parseInstant(fullAsOf) === null) return null;
  const { header, changes, end } = page;
  return HeldList.full(header, changes, end.cursor, fullAsOf);
}

/** The lines of a text that is cut into pieces anywhere, each parsed. A last one without its end counts as a line. */
async function objectsIn(text: AsyncIterable<string> | Iterable<string>): Promise<(JsonObject | null)[]> {
  const found: (JsonObject | null)[] = [];
  let rest = '';
  for await (const piece of text) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      found.push(parseObject(line));
      if (found.length % LINES_AT_ONCE === 0) await aTurn();
    }
  }
  if (rest !== '') found.push(parseObject(rest));
  return found;
}

/** Yields to other tasks. */
function aTurn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
