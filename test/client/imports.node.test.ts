import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { partsOf } from '../../clients/client/imports/parts.ts';
import {
  type Client,
  createClient,
  type ImportProgress,
  type LineSource,
} from '../../clients/client/index.ts';
import { error, HEALTHY, hang, type Reply, reset, ScriptedService } from './scripted-service.ts';

const decoder = new TextDecoder();

async function cut(
  source: LineSource,
  maxBytes: number,
  maxLines = Infinity,
): Promise<[string, number, number][]> {
  const parts: [string, number, number][] = [];
  for await (const { body, firstLine, lineCount } of partsOf(source, { maxBytes, maxLines })) {
    parts.push([decoder.decode(body), firstLine, lineCount]);
  }
  return parts;
}

async function* inChunks(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let from = 0; from < bytes.length; from += size) yield bytes.slice(from, from + size);
}

describe('A source', () => {
  it('is cut at line ends, as late as the part allows', async () => {
    const source = { bytes: 'aaa\nbb\n\nc\nddd' };
    expect(await cut(source, 8)).toEqual([
      ['aaa\nbb\n\n', 1, 3],
      ['c\nddd', 4, 2],
    ]);
    expect(await cut(source, 100, 2)).toEqual([
      ['aaa\nbb\n', 1, 2],
      ['\nc\n', 3, 2],
      ['ddd', 5, 1],
    ]);
  });

  it('is the same however its bytes arrive, in the middle of a letter too', async () => {
    const text = '{"plate":"TÖL 1"}\n\n{"plate":"京 2"}\r\n{"plate":"C"}';
    const whole = await cut({ bytes: text }, 24);
    for (let size = 1; size <= 40; size++) {
      expect(await cut({ bytes: inChunks(text, size) }, 24)).toEqual(whole);
    }
    expect(await cut({ bytes: new Blob([text]) }, 24)).toEqual(whole);
    expect(await cut({ bytes: new Blob([text]).stream() }, 24)).toEqual(whole);
  });

  it('of lines takes texts and objects', async () => {
    expect(await cut({ lines: ['{"a":1}', { b: 2 }, '{"c":3}\r\n'] }, 100)).toEqual([
      ['{"a":1}\n{"b":2}\n{"c":3}\n', 1, 3],
    ]);
  });

  it('loses the mark that some editors put before the first line', async () => {
    expect(await cut({ bytes: '\ufeff{}\n' }, 100)).toEqual([['{}\n', 1, 1]]);
  });

  it('without lines has no part', async () => {
    expect(await cut({ bytes: '' }, 100)).toEqual([]);
    expect(await cut({ lines: [] }, 100)).toEqual([]);
  });
});

describe('An import', () => {
  let service: ScriptedService;
  let client: Client;
  beforeAll(async () => {
    service = await ScriptedService.start();
    client = createClient({ baseUrl: service.address, token: 'a-token' });
  });
  afterAll(() => service.stop());

  /** As the service counts: each line that is no `{}` is rejected. */
  const counted: Reply = (response, { body }) => {
    const lines = body.split('\n').map((line, index) => ({ line: index + 1, text: line.trim() }));
    const received = lines.filter(({ text }) => text !== '');
    const rejected = received.filter(({ text }) => text !== '{}');
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(
      JSON.stringify({
        ...HEALTHY,
        ...{ received: received.length, created: received.length - rejected.length },
        ...{ updated: 0, unchanged: 0, rejected: rejected.length },
        errors: rejected.slice(0, 100).map(({ line }) => ({ line, code: 'INVALID_JSON', message: 'No.' })),
      }),
    );
  };

  it('sends part after part, and numbers what was rejected as in the whole', async () => {
    service.script(counted);
    const progress: ImportProgress[] = [];
    const result = await client.importSessions(
      { bytes: '{}\n\n{}\nbad\n{}\nworse\n{}' },
      { municipality_code: 'H501', source_code: 'app 1' },
      { maxPartLines: 3, onProgress: (one) => progress.push(one) },
    );
    expect(result).toMatchObject({
      ok: true,
      answer: { parts: 3, lines: 7, received: 6, created: 4, rejected: 2 },
    });
    expect(result.ok && result.answer.errors.map(({ line }) => line)).toEqual([4, 6]);
    expect(progress.map(({ totals }) => totals.lines)).toEqual([3, 6, 7]);
    expect(service.seen.map(({ url }) => url)).toEqual(
      Array.from({ length: 3 }, () => '/api/v2/imports/sessions?municipality_code=H501&source_code=app+1'),
    );
    expect(service.seen[0]?.headers['content-type']).toBe('application/x-ndjson');
  });

  it('lists a thousand rejected lines in its sums, counts the others, and tells of all as they come', async () => {
    service.script(counted);
    let reported = 0;
    const result = await client.importSessions(
      { bytes: 'bad\n'.repeat(2_450) },
      {},
      { maxPartLines: 150, onProgress: ({ errors }) => (reported += errors.length) },
    );
    expect(result).toMatchObject({ ok: true, answer: { received: 2_450, rejected: 2_450 } });
    const { errors, errorsLeftOut } = result.ok ? result.answer : { errors: [], errorsLeftOut: 0 };
    expect([errors.length, errorsLeftOut]).toEqual([1_000, 1_450]);
    // The service lists the first 100 of each part: of the last one, all 50.
    expect(reported).toBe(16 * 100 + 50);
    expect([errors[0]?.line, errors[100]?.line, errors.at(-1)?.line]).toEqual([1, 151, 1_450]);
  });

  it('sends parts of at most 8 MiB, whatever is asked for', async () => {
    service.script(counted);
    const bytes = new Blob([`{}${' '.repeat(125)}\n`.repeat(9 * 8_192)]);
    const result = await client.importSubscriptions({ bytes }, {}, { maxPartBytes: 100_000_000 });
    expect(result).toMatchObject({ ok: true, answer: { received: 9 * 8_192, rejected: 0, parts: 2 } });
    expect(service.seen[0]?.body.length).toBe(8 * 1_024 * 1_024);
  });

  it('sends a part again that failed', async () => {
    service.script(counted, error(500, 'TEMPORARY_ERROR'), reset, counted);
    const result = await client.importSessions({ bytes: '{}\n{}\n' }, {}, { maxPartLines: 1 });
    expect(result).toMatchObject({ ok: true, answer: { parts: 2, received: 2 } });
    expect(service.seen).toHaveLength(4);
  });

  it('that fails says how far it came', async () => {
    service.script(counted, hang);
    const result = await client.importSessions(
      { bytes: '{}\n{}\n{}\n' },
      {},
      { maxPartLines: 2, budgetMs: 200 },
    );
    expect(result).toMatchObject({
      ok: false,
      failure: 'unavailable',
      code: 'TIMED_OUT',
      soFar: { parts: 1, received: 2 },
      nextLine: 3,
    });
  });

  it('ends when the budget is spent, unless the service asked it to wait', async () => {
    const limited = error(429, 'RATE_LIMIT_EXCEEDED', { 'Retry-After': '1' });
    service.script(limited, counted);
    expect(await client.importSessions({ bytes: '{}' })).toMatchObject({ ok: false, failure: 'limited' });
    service.script(limited, counted);
    expect(await client.importSessions({ bytes: '{}' }, {}, { waitWhenLimited: true })).toMatchObject({
      ok: true,
    });
  });

  it('without lines tells the service that the source is alive', async () => {
    service.script(counted);
    expect(await client.importSessions({ bytes: '' })).toMatchObject({ ok: true, answer: { received: 0 } });
    expect(service.seen).toHaveLength(1);
  });

  it('ends when its source fails, or holds a line that fits no part', async () => {
    service.script(counted);
    const broken = (async function* () {
      yield '{}';
      throw new Error('the disk is gone');
    })();
    expect(await client.importSessions({ lines: broken })).toMatchObject({
      ok: false,
      code: 'SOURCE_FAILED',
      message: 'the disk is gone',
    });
    expect(
      await client.importSessions({ bytes: `{}\n${'x'.repeat(20)}` }, {}, { maxPartBytes: 10 }),
    ).toMatchObject({
      code: 'LINE_TOO_LONG',
      message: expect.stringContaining('Line 2'),
    });
  });
});
