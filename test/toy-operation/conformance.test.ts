import { describeConformance } from '../conformance/describe-conformance.ts';
import { TOYS } from './suite.ts';

describeConformance(TOYS);
