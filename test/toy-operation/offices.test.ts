import { describeOffices } from '../conformance/describe-offices.ts';
import { TOYS } from './suite.ts';

describeOffices(TOYS);
