import type { DescribedOperation, FeatureDescription } from './parts.ts';
import type { Component } from './words.ts';

/** Every component that the document shows: the bodies of the operations, and their parts. */
export function componentsOf(
  operations: readonly DescribedOperation[],
  features: readonly FeatureDescription[],
): readonly Component[] {
  const bodies = operations.flatMap(({ body, answer }) => [body?.component, answer.component].flat());
  const parts = features.flatMap((feature) => feature.parts);
  return [...new Set([...bodies.filter((component) => component != null), ...parts])];
}

/** The maximum size of the body that a component is in, in bytes. */
export function largestBodies(operations: readonly DescribedOperation[]): ReadonlyMap<Component, number> {
  return new Map(
    operations.flatMap(({ of, body }) =>
      body && of.body ? [[body.component, of.body.maxBytes] as const] : [],
    ),
  );
}
