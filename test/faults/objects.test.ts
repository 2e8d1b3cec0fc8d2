import { beforeAll } from 'vitest';
import { THE_SERVICE } from '../suites/suite.ts';
import { prepareExamples } from './calls.ts';
import { describeObjectFaults } from './describe-object-faults.ts';

beforeAll(prepareExamples);

describeObjectFaults(THE_SERVICE);
