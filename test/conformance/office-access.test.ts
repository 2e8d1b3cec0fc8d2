import { describe, expect, it } from 'vitest';
import { CONTRACTS } from '../../src/contracts.ts';

const operations = CONTRACTS;
const ADMINISTRATION = '/api/v2/admin/';

describe('The administration', () => {
  it('has no operation that does not say what an office may do there', () => {
    const below = operations.filter(({ path }) => path.startsWith(ADMINISTRATION));
    expect(below.length).toBeGreaterThan(10);
    for (const { id, access } of below) {
      expect([id, access]).toMatchObject([
        id,
        { by: 'administrator', office: expect.stringMatching(/^(nothing|reads|changes)$/) },
      ]);
    }
  });

  it('is nowhere but below its path', () => {
    const administered = operations.filter(({ access }) => access.by === 'administrator');
    expect(administered.filter(({ path }) => !path.startsWith(ADMINISTRATION))).toEqual([]);
  });

  it('lets no office read what changes something', () => {
    const read = operations.filter(
      ({ access }) => access.by === 'administrator' && access.office === 'reads',
    );
    // An export is a POST for the plate, which stands in no address.
    expect(read.filter(({ method }) => method !== 'GET').map(({ id }) => id)).toEqual([
      'exportPlate',
      'exportSubscription',
      'findPaymentsForOffice',
    ]);
  });
});
