import { THE_SERVICE } from '../suites/suite.ts';
import { describeConformance } from './describe-conformance.ts';

describeConformance(THE_SERVICE);
