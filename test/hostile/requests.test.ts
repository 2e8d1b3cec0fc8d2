import { THE_SERVICE } from '../suites/suite.ts';
import { describeHostileRequests } from './describe-requests.ts';

describeHostileRequests(THE_SERVICE);
