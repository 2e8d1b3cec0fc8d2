import { describeHostileRequests } from '../hostile/describe-requests.ts';
import { TOYS } from './suite.ts';

describeHostileRequests(TOYS);
