import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceClient } from '../../tools/local/service-client.ts';
import { freePort } from '../support/free-port.ts';
import { SECRETS, START_MS, type Started, start } from './started.ts';

/** Large parts of a backup that a restore refuses: a client that is still sending gets the refusal, not a reset. */

const MIB = 1024 * 1024;
/** Often enough for what fails only sometimes. */
const TIMES = 12;
const TEST_MS = 120_000;

const stateDir = mkdtempSync(join(tmpdir(), 'refused-'));
let started: Started;
let address: string;

beforeAll(async () => {
  const port = await freePort();
  started = await start(port, stateDir, /http/, ['--empty', '--quiet']);
  address = `http://localhost:${port}`;
  await new ServiceClient(address, SECRETS.ADMIN_TOKEN).succeed('PUT', '/api/v2/admin/configuration', {
    tenants: [{ code: 'acme', name: 'Acme' }],
    municipalities: [{ code: 'H501', name: 'Roma', timezone: 'Europe/Rome', tenant: 'acme' }],
  });
}, START_MS);
afterAll(async () => {
  started.child.kill('SIGTERM');
  await once(started.child, 'exit');
  rmSync(stateDir, { recursive: true });
});

/** A part as large as the service accepts them, nearly: of a city, with its number. */
function part(code: string, number: number, bytes = 8 * MIB - 1_000): string {
  const header = {
    ...{ type: 'backup', format: 1, schema: 0, backup_id: '0f8fad5b-d9cb-469f-a165-70867728950e' },
    ...{ part: number, begun_at: new Date().toISOString(), tenant: 'acme', municipality_code: code },
    ...{ municipality_id: 7, after: number === 1 ? null : 'x', columns: { anything: ['value'] } },
  };
  const end = '{"type":"part","after":"y","more":true}\n';
  const row = `{"type":"row","kind":"anything","values":["${'x'.repeat(1_000)}"]}\n`;
  const rows = Math.floor((bytes - JSON.stringify(header).length - end.length) / row.length);
  return `${JSON.stringify(header)}\n${row.repeat(rows)}${end}`;
}

/** Piece after piece, with no length announced. */
const chunked = (text: string) =>
  new ReadableStream({
    start(controller) {
      const bytes = new TextEncoder().encode(text);
      for (let from = 0; from < bytes.length; from += 64 * 1024) {
        controller.enqueue(bytes.subarray(from, from + 64 * 1024));
      }
      controller.close();
    },
  });

async function restore(code: string, body: string, { query = 'tenant=acme', isChunked = false } = {}) {
  const response = await fetch(`${address}/api/v2/admin/municipalities/${code}/restore?${query}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${SECRETS.ADMIN_TOKEN}`, 'Content-Type': 'application/x-ndjson' },
    body: isChunked ? chunked(body) : body,
    ...(isChunked && { duplex: 'half' }),
  });
  const answer = (await response.json()) as { success: boolean; error: { code: string } };
  return [response.status, answer.success, answer.error.code];
}

describe('A large part that is refused is answered in the envelope, each time', () => {
  const FIRST = part('L219', 1);
  const LARGE = part('H501', 1, 16 * MIB);

  it.each<[string, () => ReturnType<typeof restore>, readonly [number, string]]>([
    ['where the city is readable', () => restore('H501', part('H501', 1)), [409, 'MUNICIPALITY_READABLE']],
    ['out of order', () => restore('L219', part('L219', 2)), [409, 'PART_OUT_OF_ORDER']],
    [
      'of an unknown tenant',
      () => restore('L219', FIRST, { query: 'tenant=none' }),
      [422, 'INVALID_REQUEST'],
    ],
    ['a little too large', () => restore('H501', part('H501', 1, 9 * MIB)), [413, 'PAYLOAD_TOO_LARGE']],
    ['far too large', () => restore('H501', LARGE), [413, 'PAYLOAD_TOO_LARGE']],
    [
      'far too large, and of no announced length',
      () => restore('H501', LARGE, { isChunked: true }),
      [413, 'PAYLOAD_TOO_LARGE'],
    ],
  ])('%s', { timeout: TEST_MS }, async (_, send, [status, code]) => {
    for (let time = 1; time <= TIMES; time += 1) {
      expect(await send(), `time ${time}`).toEqual([status, false, code]);
    }
  });
});
