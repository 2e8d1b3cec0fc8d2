import { describe, expect, expectTypeOf, it } from 'vitest';
import { createClient, type JsonOperationId } from '../../clients/client/index.ts';
import { readListPage } from '../../clients/client/list/wire.ts';
import { ERROR_CODES, OPERATIONS } from '../../clients/types/operations.ts';
import { ERROR_STATUS } from '../../src/base/errors/error-codes.ts';
import description from '../../src/serving/openapi/openapi.json' with { type: 'json' };

/** Operations that are no method under their own id: those that move lines, an alias, and what a map loads by its address. */
const APART: readonly string[] = [
  'importSessions',
  'importSubscriptions',
  'listEntitlements',
  'checkPlateAlias',
  'getOccupancyFeatures',
];

describe('The client and the description', () => {
  it('have the same operations', () => {
    const described = Object.values(description.paths).flatMap((item) =>
      Object.values(item).map(({ operationId }) => operationId),
    );
    expect(Object.keys(OPERATIONS).sort()).toEqual([...described].sort());
    const client = createClient({ baseUrl: 'https://parking.example' });
    const methods = Object.keys(client);
    expect(described.filter((id) => !APART.includes(id) && !methods.includes(id))).toEqual([]);
    expect(methods).toEqual(
      expect.arrayContaining(['importSessions', 'importSubscriptions', 'entitlementListPages', 'checkPlate']),
    );
  });

  it('have the same error codes', () => {
    expect([...ERROR_CODES]).toEqual(Object.keys(ERROR_STATUS).sort());
  });

  it('agree on what needs no input, and on what an operation answers', () => {
    expectTypeOf<JsonOperationId>().not.toExtend<'listEntitlements'>();
    expectTypeOf<Parameters<ReturnType<typeof createClient>['getHealth']>[0]>().toExtend<
      object | undefined
    >();
    expectTypeOf<ReturnType<typeof createClient>['getCall']>()
      .parameter(0)
      .toEqualTypeOf<{ request_id: string }>();
  });

  it('agree on the lines of an entitlement list', () => {
    const operation = description.paths['/api/v2/facilities/{area_code}/entitlement-list'].get;
    const page = readListPage(operation.responses['200'].content['application/x-ndjson'].example);
    expect(page?.changes.map(({ type }) => type)).not.toContain('unreadable');
    expect(page?.changes.length).toBeGreaterThan(0);
  });
});
