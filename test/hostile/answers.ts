import { expect } from 'vitest';
import type { SentAnswer } from '../support/service.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** Words of ours that no answer says: of the database, of the runtime, of a stack. */
const OURS = /D1_|SQLITE|\.ts:\d|\bat \w+ \(|json_each|is not a function|Cannot read|Unexpected token/;
/** What is keyed in a list, and where a backup goes on, is random letters, which may spell anything. */
const KEYED = /"(id|plate|cursor|after)":"[\w-]+"/g;
/** A token with more of its secret than a terminal's code has room for, which is said again as it was sent. */
const TOKEN = /pev_(?:at|ak)_[0-9a-f]{24}_[0-9a-f]{34}/i;

/** Holds of every answer, whatever was asked. That it is as described, the service under test has seen to. */
export class EveryAnswer {
  readonly #ids = new Set<string>();

  /** @param showsTokens whether the operation answers a pair that it has just made */
  expect(answer: SentAnswer, showsTokens: boolean): void {
    const { status, headers, text } = answer;
    expect(status, text).toBeLessThan(500);
    const requestId = headers.get('X-Request-Id') ?? '';
    expect(requestId).toMatch(UUID);
    expect(this.#ids.has(requestId), 'a request id comes once').toBe(false);
    this.#ids.add(requestId);
    const said = `${text.replaceAll(KEYED, '')}\n${[...headers].join('\n')}`;
    const isHtml = headers.get('Content-Type')?.startsWith('text/html') === true;
    const isPage = isHtml || headers.has('ETag');
    if (!isPage) expect(said).not.toMatch(OURS);
    if (!(isPage || (showsTokens && status < 300))) expect(said).not.toMatch(TOKEN);
    // A city that nobody knows is a page too.
    if (status >= 400 && text !== '' && !isHtml) expectErrorAlone(text, requestId);
  }
}

/** The envelope of an error, and nothing more. */
function expectErrorAlone(text: string, requestId: string): void {
  const body: Record<string, unknown> = JSON.parse(text);
  expect(Object.keys(body)).toEqual(['success', 'ok', 'request_id', 'error']);
  expect(body).toMatchObject({ success: false, ok: false, request_id: requestId });
  const { code, message, details, ...more } = body.error as Record<string, unknown>;
  expect([code, message]).toEqual([expect.any(String), expect.any(String)]);
  expect(more).toEqual({});
  if (details !== undefined) expect(Object.keys(details as object)).toEqual(['issues']);
}
