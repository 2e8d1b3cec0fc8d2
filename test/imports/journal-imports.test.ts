import { describe, expect, it, vi } from 'vitest';
import { MINUTE_MS } from '../../src/domain/instant.ts';
import { journaledCity, journalOf, NOW, ROW } from './journal-support.ts';

const { sessions } = journaledCity();

describe('The journal of imports', () => {
  it('has each import that finished, and how fresh the source was after it', async () => {
    const { body: first } = await sessions();
    vi.setSystemTime(NOW + MINUTE_MS);
    const { body: second } = await sessions({ bad: 'line' });
    const ofImport = { ...ROW, kind: 'import', key: null, plate: null, area_id: null };
    expect(await journalOf('import')).toEqual([
      {
        ...ofImport,
        request_id: first.request_id,
        record: {
          outcome: 'succeeded',
          finished_at: NOW,
          request_id: first.request_id,
          last_outcome: 'succeeded',
          last_finished_at: NOW,
          last_successful_at: NOW,
          last_request_id: first.request_id,
        },
      },
      {
        ...ofImport,
        recorded_at: NOW + MINUTE_MS,
        request_id: second.request_id,
        record: {
          outcome: 'failed',
          finished_at: NOW + MINUTE_MS,
          request_id: second.request_id,
          last_outcome: 'failed',
          last_finished_at: NOW + MINUTE_MS,
          last_successful_at: NOW,
          last_request_id: second.request_id,
        },
      },
    ]);
  });
});
