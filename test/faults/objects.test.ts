import { beforeAll } from 'vitest';
import { prepareExamples } from './calls.ts';
import { describeObjectFaults } from './describe-object-faults.ts';

beforeAll(prepareExamples);

describeObjectFaults();
