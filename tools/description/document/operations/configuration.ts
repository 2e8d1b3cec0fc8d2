import {
  configurationDocument,
  getConfiguration,
  putConfigurationDocument,
} from '../../../../src/office/configuration/contract.ts';
import { type DescribedOperation, describe } from '../openapi/parts.ts';
import { CITY, FACILITY } from '../samples.ts';

const STREET = {
  ...{ code: 'S1', name: 'Via Roma', area_type: 'street', address: 'Via Roma' },
  ...{ website: null, max_height_cm: null },
  paid_hours: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat'], from: '08:00', to: '20:00' }],
};

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe('Administration', putConfigurationDocument, {
    summary: 'Create and change tenants, municipalities, areas, sources, types and plans',
    words: `
Creates the items of the document that do not exist, updates those that differ, and leaves all others alone. Sending the same
document twice changes nothing. A document with an error changes nothing, and the 422 lists every error. With \`dry_run=true\`
the answer says what the document would change, and nothing is stored.
`.trim(),
    request: {
      municipalities: [
        { code: CITY.code, areas: [{ code: FACILITY.code, facility: { exit_grace_minutes: 20 } }] },
      ],
    },
    schema: configurationDocument,
    answer: {
      ...{ created: 0, updated: 1, unchanged: 1 },
      changes: [
        { path: 'municipalities.0.areas.0', property: 'facility.exit_grace_minutes', from: 15, to: 20 },
      ],
    },
  }),
  describe('Administration', getConfiguration, {
    summary: 'Get the configuration of a municipality',
    words: 'Returns a document with every property, which can be put again.',
    parameters: { municipality_code: CITY.code },
    answer: {
      configuration: { municipalities: [{ areas: [{ area_type: 'facility', facility: {} }, STREET] }] },
      version: '2026-03-07T16:44:12.345Z',
    },
  }),
];
