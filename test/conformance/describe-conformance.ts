import { beforeAll, describe } from 'vitest';
import { credentialOperations } from '../suites/operations.ts';
import type { Suite } from '../suites/suite.ts';
import { configurationRow } from '../support/journal.ts';
import { CITY, ROME, seed, TENANT } from '../support/seed.ts';
import { Caller } from './caller.ts';
import { describeAnswers } from './describe-answers.ts';
import { describeCredential } from './describe-credential.ts';
import { describeRefusals } from './describe-refusals.ts';

const WORLD = {
  ...CITY,
  tenants: [TENANT, { id: 2, code: 'off', name: 'Off', active: false }],
  municipalities: [
    ROME,
    { ...ROME, id: 2, code: 'INACTIVE', active: false },
    { ...ROME, id: 3, code: 'ANOTHER' },
    { ...ROME, id: 4, code: 'OFF', tenantId: 2 },
  ],
  journal: [configurationRow(0)],
};

/**
 * What every operation that a credential calls does alike: its envelope, the order of its refusals, its budget, its
 * municipality.
 */
export function describeConformance(suite: Suite): void {
  beforeAll(() => seed(WORLD));

  describe.each(credentialOperations(suite))('The operation $name', (operation) => {
    const caller = new Caller(operation, suite);
    beforeAll(() => caller.begin());

    describeAnswers(caller);
    describeRefusals(caller);
    describeCredential(caller);
  });
}
