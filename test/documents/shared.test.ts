import { describe, expect, it } from 'vitest';
import { ERROR_STATUS } from '../../src/base/errors/error-codes.ts';
import { activeByArea } from '../../src/core/active-by-area/operation.ts';
import { record } from '../../src/core/payments/operations.ts';
import { plateCheck } from '../../src/core/plate-check/operation.ts';
import { subscriptionOptions } from '../../src/core/subscription-options/operation.ts';
import { entitlementList } from '../../src/field/entitlement-list/operation.ts';
import { patrol } from '../../src/field/patrol/operation.ts';
import {
  type AdmissionCall,
  type CredentialRecord,
  refusalOf,
} from '../../src/serving/access/credential-record.ts';
import { chooseMunicipality } from '../../src/serving/lookups/located-municipality.ts';
import { NOON } from '../domain/fixtures.ts';
import { DOCUMENTS, isNumbered, Page, unique } from './page-tables.ts';

const OPERATIONS = {
  'plate-check': plateCheck,
  'subscription-options': subscriptionOptions,
  payments: record,
  'active-by-area': activeByArea,
  patrol,
  'entitlement-list': entitlementList,
};
const INDEX = new Page('interface/README');
const statuses: Readonly<Record<string, number>> = ERROR_STATUS;

describe('The pages of docs/interface', () => {
  it('are one for each operation, and the index leads to all', () => {
    const names = ['README', ...Object.keys(OPERATIONS)].map((name) => `interface/${name}.md`);
    expect(unique([...DOCUMENTS.keys()])).toEqual(unique([...names, 'versioning.md']));
    expect(Object.keys(OPERATIONS).filter((name) => !INDEX.text.includes(`](${name}.md)`))).toEqual([]);
  });

  it.each(Object.entries(OPERATIONS))(
    '%s names every error of its own, with its status',
    (name, { path, errors }) => {
      const page = new Page(`interface/${name}`);
      const rows = page.rows('code', 'HTTP', 'when');
      expect(unique(rows.map(({ code }) => code))).toEqual(unique(errors));
      expect(rows.filter(({ code, HTTP }) => String(statuses[code]) !== HTTP)).toEqual([]);
      expect(page.text).toContain(`\`${path.replaceAll(/:(\w+)/g, '{$1}')}\``);
    },
  );

  it('say which 403 comes first', () => {
    const wrong: AdmissionCall = {
      token: { kind: 'access_token', credentialId: 'c', hash: 'right' },
      scope: 'plate_check',
      importsBeyondSource: false,
      address: '192.0.2.1',
      municipality: null,
    };
    const record: CredentialRecord = {
      credential: {
        credentialId: 'c',
        version: 1,
        tenantId: 1,
        tenantCode: 'acme',
        municipalities: [],
        areas: null,
        scopes: [],
        historicalDaysAllowed: 1,
        sourceCode: null,
      },
      ipAllowlist: ['192.0.2.2'],
      expiresAt: null,
      revokedAt: null,
      rate: { limit: 1, windowSeconds: 60 },
      current: { accessTokenHash: 'right', apiKeyHash: 'key' },
      previous: [],
    };
    const chosen = (tenantActive: boolean) => chooseMunicipality({ tenantActive, municipalities: [] }, []);
    const found = [
      refusalOf(record, wrong, NOON),
      refusalOf(record, { ...wrong, address: '192.0.2.2' }, NOON),
      chosen(false),
      chosen(true),
    ].map((refusal) =>
      typeof refusal === 'object' && refusal !== null && 'refused' in refusal ? refusal.refused : refusal,
    );
    const rows = INDEX.rows('#', 'code', 'the call is refused because', 'budget');
    expect(isNumbered(rows)).toBe(true);
    // The service's switch is a fact of the municipality: it is known only once one is chosen. The credential's areas are its own.
    expect(rows.map(({ code }) => code)).toEqual([...found, 'SERVICE_DISABLED', 'AREA_FORBIDDEN']);
    // An office's tenant is a matter of the administrator's paths alone.
    const forbidden = Object.keys(statuses).filter(
      (code) => statuses[code] === 403 && code !== 'TENANT_NOT_ALLOWED',
    );
    expect(unique(rows.map(({ code }) => code))).toEqual(unique(forbidden));
  });
});
