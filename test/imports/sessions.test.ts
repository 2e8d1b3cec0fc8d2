import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { issueCredential } from '../support/credential.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { APP_SOURCE, CITY, ROME, STREET, seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import {
  aSessionLine,
  counts,
  countsOf,
  errorCode,
  errorsOf,
  file,
  SESSIONS,
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

const service = new Service();
let headers: Record<string, string>;

beforeEach(async () => {
  await freshDatabase({
    ...CITY,
    areas: [...CITY.areas, { ...STREET, id: 3, code: 'OLD', active: false }],
    sources: [APP_SOURCE, { ...APP_SOURCE, id: 2, code: 'app2' }],
  });
  ({ headers } = await issueCredential({ sourceCode: 'app1' }));
});

const importLines = (lines: readonly unknown[]) => send(service, SESSIONS, file(lines), headers);

describe('An import of sessions', () => {
  it('stores each line as a session of its source', async () => {
    const answer = await importLines([aSessionLine({ plate: 'ab 123-cd' })]);
    expect(answer.body).toEqual({
      success: true,
      ok: true,
      request_id: answer.headers.get('X-Request-Id'),
      ...counts({ received: 1, created: 1 }),
      errors: [],
    });
    expect(await storedSessions()).toEqual([STORED]);
  });

  it('stores nothing new when the same file comes twice', async () => {
    const lines = [aSessionLine(), aSessionLine({ session_id: 's-2' })];
    await importLines(lines);
    const before = await storedSessions();
    expect(countsOf(await importLines(lines))).toEqual(counts({ received: 2, unchanged: 2 }));
    expect(await storedSessions()).toEqual(before);
  });

  it('takes an extension, a stop and a cancellation as the same line with new values', async () => {
    const steps = [
      [{ ends_at: null }, null, null],
      [{}, NOON + 3_600_000, null],
      [{ ends_at: '2026-03-10T14:00:00+01:00' }, NOON + 7_200_000, null],
      [{ cancelled_at: '2026-03-10T12:30:00+01:00' }, NOON + 3_600_000, NOON + 1_800_000],
    ] as const;
    for (const [deviation, endsAt, cancelledAt] of steps) {
      await importLines([aSessionLine(deviation)]);
      expect(await storedSessions()).toEqual([{ ...STORED, ends_at: endsAt, cancelled_at: cancelledAt }]);
    }
  });

  it('replaces the session as a whole: what a later line leaves out is gone', async () => {
    await importLines([aSessionLine({ cancelled_at: '2026-03-10T12:30:00+01:00' })]);
    const answer = await importLines([aSessionLine({ plate: 'ZZ1', area_code: 'P1', ends_at: undefined })]);
    expect(countsOf(answer)).toEqual(counts({ received: 1, updated: 1 }));
    expect(await storedSessions()).toEqual([{ ...STORED, plate: 'ZZ1', area_id: 2, ends_at: null }]);
  });

  it('does not let an older revision undo a newer one', async () => {
    await importLines([aSessionLine({ revision: 2, plate: 'NEW' })]);
    const answer = await importLines([aSessionLine({ revision: 1, plate: 'OLD' })]);
    expect(countsOf(answer)).toEqual(counts({ received: 1, unchanged: 1 }));
    expect(await storedSessions()).toEqual([{ ...STORED, plate: 'NEW', revision: 2 }]);
  });

  it('lets the last line win among equal revisions', async () => {
    await importLines([
      aSessionLine({ revision: 2, plate: 'A1' }),
      aSessionLine({ revision: 2, plate: 'B1' }),
    ]);
    expect(await storedSessions()).toEqual([{ ...STORED, plate: 'B1', revision: 2 }]);
  });

  it('takes a line without a revision, and still knows what is older than the session', async () => {
    await importLines([aSessionLine({ revision: 2 })]);
    await importLines([aSessionLine({ plate: 'HAND' })]);
    await importLines([aSessionLine({ revision: 1, plate: 'OLD' })]);
    expect(await storedSessions()).toEqual([{ ...STORED, plate: 'HAND', revision: 2 }]);
  });

  it('tells a session from one of the same id in another source', async () => {
    await importLines([aSessionLine()]);
    const other = await issueCredential({ sourceCode: 'app2' });
    const answer = await send(service, SESSIONS, file([aSessionLine({ plate: 'ZZ1' })]), other.headers);
    expect(countsOf(answer)).toEqual(counts({ received: 1, created: 1 }));
    expect(await storedSessions()).toEqual([STORED, { ...STORED, source_code: 'app2', plate: 'ZZ1' }]);
  });

  it('keeps ids and plates of digits as texts, zeros and all', async () => {
    await importLines([aSessionLine({ session_id: '007', plate: '0123' })]);
    const { results } = await env.DB.prepare(
      'select session_id, typeof(session_id) as id_type, plate, typeof(plate) as plate_type from parking_sessions',
    ).all();
    expect(results).toEqual([{ session_id: '007', id_type: 'text', plate: '0123', plate_type: 'text' }]);
  });

  it('keeps ids of every script, quotes and backslashes as they came, and knows them again', async () => {
    const lines = ['Σ-§', '🚗', `"'\\`, 'a\u2028b', "'); drop table parking_sessions; --"].map((id) =>
      aSessionLine({ session_id: id }),
    );
    expect(countsOf(await importLines(lines))).toEqual(counts({ received: 5, created: 5 }));
    expect(countsOf(await importLines(lines))).toEqual(counts({ received: 5, unchanged: 5 }));
  });

  it('takes lines of an inactive area: they were paid', async () => {
    expect(countsOf(await importLines([aSessionLine({ area_code: 'OLD' })]))).toEqual(
      counts({ received: 1, created: 1 }),
    );
  });

  it('does not know the areas of another municipality', async () => {
    await seed({
      municipalities: [{ ...ROME, id: 2, code: 'F205' }],
      areas: [{ ...STREET, id: 4, municipalityId: 2, code: 'M1' }],
    });
    expect(errorsOf(await importLines([aSessionLine({ area_code: 'M1' })]))).toMatchObject([
      { line: 1, code: 'AREA_NOT_FOUND' },
    ]);
  });
});

describe('A bad line', () => {
  it('rejects itself alone, and is named by its number, blank lines counted', async () => {
    const answer = await importLines([
      '',
      aSessionLine(),
      'no JSON',
      ' \t\r',
      aSessionLine({ session_id: 's-2', plate: '?' }),
      '[]',
      'null',
      aSessionLine({ session_id: 's-3' }),
      '',
    ]);
    expect(countsOf(answer)).toEqual(counts({ received: 6, created: 2, rejected: 4 }));
    expect(errorsOf(answer).map(({ line, code }) => [line, code])).toEqual([
      [3, 'INVALID_JSON'],
      [5, 'INVALID_PLATE'],
      [6, 'INVALID_JSON'],
      [7, 'INVALID_JSON'],
    ]);
    expect((await storedSessions()).map(({ session_id }) => session_id)).toEqual(['s-1', 's-3']);
  });

  it('does not overtake a good line of its key', async () => {
    await importLines([aSessionLine(), aSessionLine({ plate: '?' })]);
    expect(await storedSessions()).toEqual([STORED]);
  });

  it('is in the language of the caller', async () => {
    const answer = await send(service, SESSIONS, file([aSessionLine({ area_code: 'X' })]), {
      ...headers,
      'Accept-Language': 'it',
    });
    expect(answer.headers.get('Content-Language')).toBe('it');
    expect(errorsOf(answer)).toEqual([
      { line: 1, code: 'AREA_NOT_FOUND', message: 'area_code: il comune non ha aree con questo codice' },
    ]);
  });

  it('is counted with all others, of which the first thousand are listed', async () => {
    const answer = await importLines([aSessionLine(), ...Array(1_500).fill('{}')]);
    expect(countsOf(answer)).toEqual(counts({ received: 1_501, created: 1, rejected: 1_500 }));
    expect(errorsOf(answer).map(({ line }) => line)).toEqual(Array.from({ length: 1_000 }, (_, i) => i + 2));
  });

  it('answers 200 with the counts even when there are only such', async () => {
    expect(countsOf(await importLines(['{}', '{}']))).toEqual(counts({ received: 2, rejected: 2 }));
  });
});

describe('A body', () => {
  it.each(['', '\n', '\r\n \n'])('with nothing in it is an import of nothing: %j', async (body) => {
    expect(countsOf(await send(service, SESSIONS, body, headers))).toEqual(counts({}));
  });

  it('may begin with a byte order mark', async () => {
    const answer = await send(service, SESSIONS, `\ufeff${file([aSessionLine()])}`, headers);
    expect(countsOf(answer)).toEqual(counts({ received: 1, created: 1 }));
  });

  it('may have carriage returns before its line feeds', async () => {
    const body = `${JSON.stringify(aSessionLine())}\r\n${JSON.stringify(aSessionLine({ session_id: 's-2' }))}\r\n`;
    expect(countsOf(await send(service, SESSIONS, body, headers))).toEqual(
      counts({ received: 2, created: 2 }),
    );
  });

  it('that is not UTF-8, were it in the last byte, is refused behind the lines before that', async () => {
    const body = new Uint8Array([...new TextEncoder().encode(`${file([aSessionLine()])}\n`), 0xff]);
    const answer = await send(service, SESSIONS, body, headers);
    expect([answer.status, errorCode(answer)]).toEqual([400, 'INVALID_JSON']);
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
    const answer = await send(service, SESSIONS, readable, headers);
    await sending;
    expect([answer.status, errorCode(answer)]).toEqual([400, 'INVALID_JSON']);
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
    expect(countsOf(await send(service, SESSIONS, pieces, headers))).toEqual(
      counts({ received: 2, created: 2 }),
    );
  });

  it('with a line of more than 256 KiB has that line rejected alone', async () => {
    const line = JSON.stringify(aSessionLine());
    const long = JSON.stringify(aSessionLine({ session_id: 's-2' })).padEnd(256 * 1024 + 1);
    const answer = await send(service, SESSIONS, file([long, line, long.slice(0, -1)]), headers);
    expect(countsOf(answer)).toEqual(counts({ received: 3, created: 2, rejected: 1 }));
    expect(answer.body.errors).toEqual([
      { line: 1, code: 'INVALID_REQUEST', message: 'the line is too long' },
    ]);
  });

  it('of 8 MiB is taken, and one byte more is refused behind the lines before that', async () => {
    const line = JSON.stringify(aSessionLine());
    const padding = '\n'.repeat(8 * 1024 * 1024 - line.length);
    const answer = await send(service, SESSIONS, `${line}${padding} `, headers);
    expect([answer.status, errorCode(answer)]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(await storedSessions()).toEqual([STORED]);
    expect(countsOf(await send(service, SESSIONS, `${line}${padding}`, headers))).toEqual(
      counts({ received: 1, unchanged: 1 }),
    );
  });

  it.each(['application/json', 'text/plain', 'application/x-ndjson; charset=latin1'])(
    'of another content type stores none of its lines: %s',
    async (contentType) => {
      const answer = await send(service, SESSIONS, file([aSessionLine()]), {
        ...headers,
        'Content-Type': contentType,
      });
      expect([answer.status, errorCode(answer)]).toEqual([415, 'INVALID_CONTENT_TYPE']);
      expect(await storedSessions()).toEqual([]);
    },
  );
});

describe('A dry run', () => {
  const dryRun = (lines: readonly unknown[]) =>
    send(service, `${SESSIONS}?dry_run=true`, file(lines), headers);

  it('counts what the same import does then, and stores nothing', async () => {
    await importLines([
      aSessionLine(),
      aSessionLine({ session_id: 's-2' }),
      aSessionLine({ session_id: 's-3' }),
    ]);
    const before = await storedSessions();
    const lines = [
      aSessionLine({ plate: 'NEW' }),
      aSessionLine({ session_id: 's-2' }),
      aSessionLine({ session_id: 's-3', revision: 7 }),
      aSessionLine({ session_id: 's-4' }),
      '{}',
    ];
    const expected = counts({ received: 5, created: 1, updated: 1, unchanged: 2, rejected: 1 });
    const judged = await dryRun(lines);
    expect(countsOf(judged)).toEqual(expected);
    expect(await storedSessions()).toEqual(before);
    const done = await importLines(lines);
    expect(countsOf(done)).toEqual(expected);
    expect(errorsOf(judged)).toEqual(errorsOf(done));
  });

  it('moves no freshness, and remembers no rejected plate', async () => {
    await dryRun([aSessionLine({ area_code: 'NONE' })]);
    const { results } = await env.DB.prepare(
      'select 1 from imports union all select 1 from rejected_plates union all select 1 from changes',
    ).all();
    expect(results).toEqual([]);
  });
});
