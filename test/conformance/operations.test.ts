import { beforeAll, describe } from 'vitest';
import { CREDENTIAL_OPERATIONS, type CredentialOperation } from '../suites/operations.ts';
import { configurationVersion } from '../support/past.ts';
import { THOROUGH } from '../support/run-form.ts';
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
    { ...ROME, id: 5, code: 'INACTIVE_TOO', active: false },
  ],
  configurationVersions: [configurationVersion(0)],
};

/** What decides which of the common rules hold for an operation. */
const kindOf = ({
  method,
  contentType,
  tokenHeaders,
  crossOrigin,
  answersLines,
  scope,
}: CredentialOperation) =>
  [method, contentType, tokenHeaders, crossOrigin, answersLines, scope === null].join(' ');

/** All in the thorough run; in the short one the first of each kind, since the others take the same path through the code. */
const OPERATIONS = THOROUGH
  ? CREDENTIAL_OPERATIONS
  : [...new Map(CREDENTIAL_OPERATIONS.toReversed().map((one) => [kindOf(one), one])).values()];

/**
 * What every operation that a credential calls does alike: its envelope, the order of its refusals, its budget, its
 * municipality.
 */
beforeAll(() => seed(WORLD));

describe.each(OPERATIONS)('The operation $name', (operation) => {
  const caller = new Caller(operation);
  beforeAll(() => caller.begin());

  describeAnswers(caller);
  describeRefusals(caller);
  describeCredential(caller);
});
