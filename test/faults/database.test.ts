import { beforeAll } from 'vitest';
import { THE_SERVICE } from '../suites/suite.ts';
import { prepareExamples } from './calls.ts';
import { describeDatabaseFaults } from './describe-database-faults.ts';

beforeAll(prepareExamples);

describeDatabaseFaults(THE_SERVICE);
