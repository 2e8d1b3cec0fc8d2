import type { EntitlementListPage } from '../list/pages.ts';
import { changeOf, factsOf, type HeldChange, HeldList, type ListFacts } from './held-list.ts';

/** The pages of one list so far. They count only once the last one has arrived. */
export interface Gathering {
  readonly mode: 'full' | 'delta';
  readonly facts: ListFacts;
  readonly changes: HeldChange[];
}

/** Whose list is expected. */
export interface Wanted {
  readonly mode: 'full' | 'delta';
  readonly areaCode: string;
  /** Null accepts the service's choice. */
  readonly municipalityCode: string | null;
  readonly keyId: string;
}

/** Why a page cannot belong to this list. */
export type Misfit = 'wrong_form' | 'another_list' | 'another_key';

/**
 * Adds a page.
 *
 * @param gathering the pages before it; null for the first
 */
export function gather(
  gathering: Gathering | null,
  page: EntitlementListPage,
  wanted: Wanted,
): Gathering | Misfit {
  const facts = factsOf(page.header);
  if (facts === null) return 'wrong_form';
  if (facts.keyId !== wanted.keyId) return 'another_key';
  if (
    page.header.mode !== wanted.mode ||
    facts.areaCode !== wanted.areaCode ||
    (wanted.municipalityCode !== null && facts.municipalityCode !== wanted.municipalityCode) ||
    (gathering !== null && facts.asOf !== gathering.facts.asOf)
  ) {
    return 'another_list';
  }
  const changes = gathering?.changes ?? [];
  for (const line of page.changes) changes.push(changeOf(line));
  return { mode: wanted.mode, facts, changes };
}

/** The list after the last page. The one before must not be used any more. */
export function completeList(before: HeldList | null, gathered: Gathering, cursor: string): HeldList {
  const { mode, facts, changes } = gathered;
  return mode === 'full' || before === null
    ? HeldList.full(facts, changes, cursor)
    : before.changed(facts, changes, cursor);
}
