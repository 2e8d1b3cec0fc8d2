import { OPERATIONS } from '../../src/operations.ts';
import { CONTRACT } from '../support/contract.ts';
import type { Served } from '../support/service.ts';
import { RIGHT_ANSWERS, type RightAnswers } from './right-answers.ts';

/** What the shared suites are run with: operations, what is promised of them, and how each is called. */
export interface Suite extends Served {
  /** By the operation's id. */
  readonly rightAnswers: RightAnswers;
}

/** All operations of the service. */
export const THE_SERVICE: Suite = {
  operations: OPERATIONS,
  contract: CONTRACT,
  rightAnswers: RIGHT_ANSWERS,
};
