import { describeOffices } from './describe-offices.ts';

describeOffices();
