import { describe, expect, it } from 'vitest';
import type { Credential } from '../../src/access/credential-record.ts';
import { chosenMunicipality, municipalitiesAsked } from '../../src/lookups/municipality-choice.ts';

const CREDENTIAL: Credential = {
  credentialId: '0123456789ab',
  version: 1,
  tenantId: 1,
  tenantCode: 'acme',
  municipalities: ['H501', 'F205'],
  scopes: ['plate_check'],
  historicalDaysAllowed: 1,
  sourceCode: null,
};

describe('The municipalities to look for', () => {
  it.each<[string, string | undefined, readonly string[]]>([
    ['are all that the credential may name, when the call names none', undefined, ['H501', 'F205']],
    ['are the one that the call names', 'F205', ['F205']],
    ['are none, when the call names one that is not the credential’s', 'L219', []],
    ['are none, when the call names a part of a code', 'H50', []],
    ['are none, when the call names nothing', '', []],
  ])('%s', (_, code, asked) => {
    expect(municipalitiesAsked(code, CREDENTIAL)).toEqual(asked);
  });
});

describe('The municipality of a call', () => {
  it.each([
    ['is the only one found', true, ['Roma'], { chosen: 'Roma' }],
    ['is refused, when none was found', true, [], { refused: 'MUNICIPALITY_NOT_ALLOWED' }],
    ['has to be named, when two were found', true, ['Roma', 'Milano'], { refused: 'MUNICIPALITY_REQUIRED' }],
    ['is none, when the tenant is disabled', false, ['Roma'], { refused: 'TENANT_DISABLED' }],
    [
      'is none of two, when the tenant is disabled',
      false,
      ['Roma', 'Milano'],
      { refused: 'TENANT_DISABLED' },
    ],
    ['is none of none, when the tenant is disabled', false, [], { refused: 'TENANT_DISABLED' }],
  ])('%s', (_, tenantActive, municipalities, choice) => {
    expect(chosenMunicipality({ tenantActive, municipalities })).toEqual(choice);
  });
});
