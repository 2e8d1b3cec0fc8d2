import { beforeAll } from 'vitest';
import { prepareExamples } from '../faults/calls.ts';
import { describeDatabaseFaults } from '../faults/describe-database-faults.ts';
import { describeObjectFaults } from '../faults/describe-object-faults.ts';
import { TOYS } from './suite.ts';

beforeAll(prepareExamples);

describeDatabaseFaults(TOYS);
describeObjectFaults(TOYS);
