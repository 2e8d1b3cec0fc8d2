import { beforeAll } from 'vitest';
import { prepareExamples } from './calls.ts';
import { describeDatabaseFaults } from './describe-database-faults.ts';

beforeAll(prepareExamples);

describeDatabaseFaults();
