import { describeAdministration } from '../conformance/describe-administration.ts';
import { TOYS } from './suite.ts';

describeAdministration(TOYS);
