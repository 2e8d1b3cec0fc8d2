import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { City, outcomeOf } from '../support/city.ts';
import { APP_SOURCE, CITY, ROME, STREET } from '../support/seed.ts';
import {
  aSessionLine,
  counts,
  countsOf,
  errorsOf,
  file,
  APP1_SESSIONS as SESSIONS,
  send,
  storedSessions,
} from './support.ts';

const NOON = Date.UTC(2026, 2, 10, 11);
const STORED = {
  source_code: 'app1',
  session_id: 's-1',
  area_id: 1,
  plate: 'AB123CD',
  starts_at: NOON,
  ends_at: NOON + 3_600_000,
  cancelled_at: null,
  revision: null,
};

const city = new City(
  {
    ...CITY,
    municipalities: [ROME, { ...ROME, id: 2, code: 'F205' }],
    areas: [
      ...CITY.areas,
      { ...STREET, id: 3, code: 'OLD', active: false },
      { ...STREET, id: 4, municipalityId: 2, code: 'M1' },
    ],
    sources: [APP_SOURCE, { ...APP_SOURCE, id: 2, code: 'app2' }],
  },
  { anew: true },
);

type Body = Parameters<typeof send>[2];
const importBody = (body: Body, headers: Record<string, string> = {}, path = SESSIONS) =>
  send(city.service, path, body, { ...city.headers, ...headers });
const importLines = (...lines: readonly unknown[]) => importBody(file(lines));

describe('An import of sessions', () => {
  it('stores each line as a session of its source', async () => {
    const line = aSessionLine({ plate: ' ab 123-cd ', session_id: ' s-1 ', area_code: ' S1 ' });
    const answer = await importLines(line);
    expect(answer.body).toEqual({
      success: true,
      ok: true,
      request_id: answer.headers.get('X-Request-Id'),
      ...counts({ received: 1, created: 1 }),
      errors: [],
    });
    expect(await storedSessions()).toEqual([STORED]);
  });

  it('tells a session from one of the same id in another source', async () => {
    await importLines(aSessionLine());
    const other = aSessionLine({ plate: 'ZZ1' });
    const answer = await importBody(file([other]), {}, '/api/v2/imports/sessions?source_code=app2');
    expect(countsOf(answer)).toEqual(counts({ received: 1, created: 1 }));
    expect(await storedSessions()).toEqual([STORED, { ...STORED, source_code: 'app2', plate: 'ZZ1' }]);
  });

  it('keeps ids and plates as they came, and knows them again', async () => {
    const ids = ['007', 'Σ-§', '🚗', `"'\\`, 'a\u2028b', "'); drop table parking_sessions; --"];
    const lines = ids.map((session_id) => aSessionLine({ session_id, plate: '0123' }));
    expect(countsOf(await importLines(...lines))).toEqual(counts({ received: 6, created: 6 }));
    expect(countsOf(await importLines(...lines))).toEqual(counts({ received: 6, unchanged: 6 }));
    const stored = await storedSessions();
    expect(stored.map(({ session_id }) => session_id).sort()).toEqual(ids.toSorted());
    expect(new Set(stored.map(({ plate }) => plate))).toEqual(new Set(['0123']));
  });

  it('takes lines of an inactive area, which were paid, and none of another municipality’s', async () => {
    const answer = await importLines(aSessionLine({ area_code: 'OLD' }), aSessionLine({ area_code: 'M1' }));
    expect(countsOf(answer)).toEqual(counts({ received: 2, created: 1, rejected: 1 }));
    expect(errorsOf(answer)).toMatchObject([{ line: 2, code: 'AREA_NOT_FOUND' }]);
  });
});

describe('A body', () => {
  it.each(['', '\r\n \n'])('with nothing in it is an import of nothing: %j', async (body) => {
    expect(countsOf(await importBody(body))).toEqual(counts({}));
  });

  it('may begin with a byte order mark, and have carriage returns before its line feeds', async () => {
    const [one, two] = [aSessionLine(), aSessionLine({ session_id: 's-2' })].map((line) =>
      JSON.stringify(line),
    );
    expect(countsOf(await importBody(`\ufeff${one}\r\n${two}\r\n`))).toEqual(
      counts({ received: 2, created: 2 }),
    );
  });

  it('that is not UTF-8, were it in the last byte, is refused behind the lines before that', async () => {
    const body = new Uint8Array([...new TextEncoder().encode(`${file([aSessionLine()])}\n`), 0xff]);
    expect(outcomeOf(await importBody(body))).toEqual([400, 'INVALID_JSON']);
    expect(await storedSessions()).toEqual([STORED]);
  });

  it('that its client breaks off is refused, and the whole lines before that stay', async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const lines = file([aSessionLine(), aSessionLine({ session_id: 's-2' })]);
    const sending = writer
      .write(new TextEncoder().encode(lines))
      .then(() => writer.abort(new Error('the client is gone')))
      .catch(() => {});
    const answer = await importBody(readable);
    await sending;
    expect(outcomeOf(answer)).toEqual([400, 'INVALID_JSON']);
    expect(await storedSessions()).toEqual([STORED]);
  });

  it('may come in pieces that end anywhere', async () => {
    const bytes = new TextEncoder().encode(file([aSessionLine(), aSessionLine({ session_id: '🚗' })]));
    const pieces = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const byte of bytes) controller.enqueue(new Uint8Array([byte]));
        controller.close();
      },
    });
    expect(countsOf(await importBody(pieces))).toEqual(counts({ received: 2, created: 2 }));
  });

  it('with a line of more than 256 KiB has that line rejected alone', async () => {
    const line = JSON.stringify(aSessionLine());
    const long = JSON.stringify(aSessionLine({ session_id: 's-2' })).padEnd(256 * 1024 + 1);
    const answer = await importBody(file([long, line, long.slice(0, -1)]));
    expect(countsOf(answer)).toEqual(counts({ received: 3, created: 2, rejected: 1 }));
    expect(errorsOf(answer)).toEqual([{ line: 1, code: 'INVALID_REQUEST', message: 'the line is too long' }]);
  });

  it('of 8 MiB is taken, and one byte more is refused behind the lines before that', async () => {
    const line = JSON.stringify(aSessionLine());
    const body = `${line}\n${`${' '.repeat(1_023)}\n`.repeat(8 * 1024)}`.slice(0, 8 * 1024 * 1024);
    expect(outcomeOf(await importBody(`${body} `))).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(await storedSessions()).toEqual([STORED]);
    expect(countsOf(await importBody(body))).toEqual(counts({ received: 1, unchanged: 1 }));
  });
});

describe('A dry run', () => {
  const dryRun = (...lines: readonly unknown[]) => importBody(file(lines), {}, `${SESSIONS}&dry_run=true`);

  it('counts what the same import does then, and stores nothing', async () => {
    await importLines(...['s-1', 's-2', 's-3'].map((session_id) => aSessionLine({ session_id })));
    const before = await storedSessions();
    const lines = [
      aSessionLine({ plate: 'NEW' }),
      aSessionLine({ session_id: 's-2' }),
      aSessionLine({ session_id: 's-3', revision: 7 }),
      aSessionLine({ session_id: 's-4' }),
      '{}',
    ];
    const expected = counts({ received: 5, created: 1, updated: 1, unchanged: 2, rejected: 1 });
    const judged = await dryRun(...lines);
    expect(countsOf(judged)).toEqual(expected);
    expect(await storedSessions()).toEqual(before);
    const done = await importLines(...lines);
    expect(countsOf(done)).toEqual(expected);
    expect(errorsOf(judged)).toEqual(errorsOf(done));
  });

  it('that is misspelt is refused, and stores nothing', async () => {
    const answer = await importBody(file([aSessionLine()]), {}, `${SESSIONS}&dryrun=true`);
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({
      error: { details: { issues: [{ path: 'dryrun', message: 'is not a known property' }] } },
    });
    expect(await storedSessions()).toEqual([]);
  });

  it('moves no freshness, and remembers no rejected plate', async () => {
    await dryRun(aSessionLine({ area_code: 'NONE' }));
    const { results } = await env.DB.prepare(
      'select 1 from imports union all select 1 from rejected_plates union all select 1 from changes',
    ).all();
    expect(results).toEqual([]);
  });
});
