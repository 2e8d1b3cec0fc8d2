import { THE_SERVICE } from '../suites/suite.ts';
import { describeOffices } from './describe-offices.ts';

describeOffices(THE_SERVICE);
