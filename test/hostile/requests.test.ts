import { describeHostileRequests } from './describe-requests.ts';

describeHostileRequests();
