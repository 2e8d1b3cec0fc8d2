import { describe, expect, it } from 'vitest';
import type { Grant } from '../../src/serving/access/grant.ts';
import {
  chooseMunicipality,
  type FoundMunicipality,
  searchEarly,
  searchGranted,
  settlesMunicipality,
} from '../../src/serving/lookups/located-municipality.ts';

const GRANT: Grant = {
  credentialId: '0123456789ab',
  tenantId: 1,
  tenantCode: 'acme',
  municipalities: ['H501', 'F205'],
  historicalDaysAllowed: 1,
  sourceCode: null,
  areas: null,
};

const found = (code: string, changed: Partial<FoundMunicipality> = {}): FoundMunicipality => ({
  code,
  tenantId: 1,
  active: true,
  movedTo: null,
  isArriving: false,
  stay: 0,
  ...changed,
});
const ROMA = found('H501');
const MILANO = found('F205');

describe('What is read before the grant', () => {
  it('is looked for by the code that the call names', () => {
    expect(searchEarly('H501', 'c1')).toEqual({ by: 'code', code: 'H501' });
  });

  it('is looked for by the credential when the call names none', () => {
    expect(searchEarly(undefined, 'c1')).toEqual({ by: 'credential', credentialId: 'c1' });
  });

  const INACTIVE = found('F205', { active: false });

  it.each<[string, boolean, readonly FoundMunicipality[], Partial<Grant>]>([
    ['counts when it is the only one that is granted', true, [ROMA], { municipalities: ['H501'] }],
    ['counts for nothing when others are granted, inactive ones too', false, [ROMA, INACTIVE], {}],
    ['counts for nothing when others are granted, in any order', false, [INACTIVE, ROMA], {}],
    ['counts for nothing when two are active', false, [ROMA, MILANO], {}],
    [
      'counts for nothing when it lives in another database',
      false,
      [found('H501', { movedTo: 'DB_2' })],
      { municipalities: ['H501'] },
    ],
    ['counts for nothing when it is inactive', false, [INACTIVE], { municipalities: ['F205'] }],
    ['counts for nothing when something is missing', false, [ROMA], {}],
    ['counts for nothing when there is more', false, [ROMA, INACTIVE], { municipalities: ['H501'] }],
    ['counts for nothing when it is another', false, [ROMA], { municipalities: ['F205'] }],
    [
      'counts for nothing when it is another tenant’s',
      false,
      [found('H501', { tenantId: 2 })],
      { municipalities: ['H501'] },
    ],
    [
      'counts for nothing when one of several is another tenant’s',
      false,
      [ROMA, found('F205', { tenantId: 2, active: false })],
      {},
    ],
    ['counts for nothing when nothing is granted', false, [ROMA], { municipalities: [] }],
    ['counts for nothing when nothing was found and nothing is granted', false, [], { municipalities: [] }],
  ])('%s', (_, settles, municipalities, granted) => {
    const finding = { tenantActive: true, municipalities };
    expect(settlesMunicipality(finding, { ...GRANT, ...granted })).toBe(settles);
  });

  it('counts for nothing when the tenant is disabled', () => {
    const finding = { tenantActive: false, municipalities: [ROMA] };
    expect(settlesMunicipality(finding, { ...GRANT, municipalities: ['H501'] })).toBe(false);
  });
});

describe('What is read after the grant', () => {
  it('is looked for among the codes that are granted, in the credential’s tenant', () => {
    expect(searchGranted(GRANT)).toEqual({ by: 'grant', tenantId: 1, codes: ['H501', 'F205'] });
  });
});

describe('The municipality of a call', () => {
  const OSTIA = found('F205', { active: false });
  const ONE = ['H501'];
  const TWO = ['H501', 'F205'];

  it.each([
    ['is the only one granted', true, [ROMA], ONE, { chosen: ROMA }],
    ['is refused, when none was found', true, [], ONE, { refused: 'MUNICIPALITY_NOT_ALLOWED' }],
    ['is refused, when none is granted', true, [], [], { refused: 'MUNICIPALITY_NOT_ALLOWED' }],
    [
      'is refused, when the only one granted is inactive',
      true,
      [found('H501', { active: false })],
      ONE,
      { refused: 'MUNICIPALITY_NOT_ALLOWED' },
    ],
    ['has to be named, when two are active', true, [ROMA, MILANO], TWO, { refused: 'MUNICIPALITY_REQUIRED' }],
    [
      'has to be named, when one of two is active',
      true,
      [OSTIA, ROMA],
      TWO,
      { refused: 'MUNICIPALITY_REQUIRED' },
    ],
    ['has to be named, when none of two is active', true, [OSTIA], TWO, { refused: 'MUNICIPALITY_REQUIRED' }],
    [
      'has to be named, when only one of two was found',
      true,
      [ROMA],
      TWO,
      { refused: 'MUNICIPALITY_REQUIRED' },
    ],
    ['is none, when the tenant is disabled', false, [ROMA], ONE, { refused: 'TENANT_DISABLED' }],
    [
      'is none of two, when the tenant is disabled',
      false,
      [ROMA, MILANO],
      TWO,
      { refused: 'TENANT_DISABLED' },
    ],
    ['is none of none, when the tenant is disabled', false, [], [], { refused: 'TENANT_DISABLED' }],
  ])('%s', (_, tenantActive, municipalities, granted, choice) => {
    expect(chooseMunicipality({ tenantActive, municipalities }, granted)).toEqual(choice);
  });

  it.each([
    ['is the only active one', true, [OSTIA, ROMA], { chosen: ROMA }],
    ['is refused, when none is active', true, [OSTIA], { refused: 'MUNICIPALITY_NOT_ALLOWED' }],
    ['has to be named, when two are active', true, [ROMA, MILANO], { refused: 'MUNICIPALITY_REQUIRED' }],
    ['is none, when the tenant is disabled', false, [ROMA], { refused: 'TENANT_DISABLED' }],
  ])('of several, in a report, %s', (_, tenantActive, municipalities, choice) => {
    expect(chooseMunicipality({ tenantActive, municipalities }, TWO, 'active')).toEqual(choice);
  });
});
