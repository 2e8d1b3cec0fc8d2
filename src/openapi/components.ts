import { CALL } from './operations/calls.ts';
import { CONFIGURATION_COMPONENTS } from './operations/configuration-schemas.ts';
import { LISTED, RATE_LIMIT, STORED_RATE_LIMIT } from './operations/credential-schemas.ts';
import { PLACE } from './operations/envelope.ts';
import { PERIOD_LINE, PLATE_LINE, REJECTED_LINE } from './operations/imports.ts';
import { ACCESS_CONTROL, SESSION, SUBSCRIPTION, WARNING } from './operations/plate-check-schemas.ts';
import { AREA, COUNTS, FILTERS, FRESHNESS, ROW, SOURCE } from './operations/report-schemas.ts';
import { TARIFFA } from './operations/subscription-options.ts';
import type { Operation } from './parts.ts';
import type { Component } from './words.ts';

/** What requests and answers are made of. */
const PARTS: readonly Component[] = [
  ...[PLACE, SESSION, SUBSCRIPTION, WARNING, ACCESS_CONTROL, TARIFFA],
  ...[SOURCE, FRESHNESS, AREA, ROW, COUNTS, FILTERS],
  ...[PLATE_LINE, PERIOD_LINE, REJECTED_LINE],
  ...CONFIGURATION_COMPONENTS,
  ...[RATE_LIMIT, STORED_RATE_LIMIT, LISTED, CALL],
];

/** Every component that the document shows: the bodies of the operations, and their parts. */
export function componentsOf(operations: readonly Operation[]): readonly Component[] {
  const bodies = operations.flatMap(({ body, answer }) => [body?.component, answer.component]);
  return [...new Set([...bodies.filter((component) => component != null), ...PARTS])];
}

/** The bytes of the largest body that a component comes in. */
export function largestBodies(operations: readonly Operation[]): ReadonlyMap<Component, number> {
  return new Map(operations.flatMap(({ body }) => (body ? [[body.component, body.maxBytes] as const] : [])));
}
