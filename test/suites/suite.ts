import { loadAll, OPERATIONS } from '../../src/operations.ts';
import type { Operation } from '../../src/serving/pipeline/operation.ts';
import { CONTRACT } from '../support/contract.ts';
import type { Served } from '../support/service.ts';
import { RIGHT_ANSWERS, type RightAnswers } from './right-answers.ts';

/** What the shared suites are run with: operations, what is promised of them, and how each is called. */
export interface Suite extends Served {
  /** Those of the list, loaded. */
  readonly operations: readonly Operation[];
  /** By the operation's id. */
  readonly rightAnswers: RightAnswers;
}

/** All operations of the service. */
export const THE_SERVICE: Suite = {
  listed: OPERATIONS,
  operations: await loadAll(),
  contract: CONTRACT,
  rightAnswers: RIGHT_ANSWERS,
};
