import type { Operation } from '../pipeline/operation.ts';
import type { Component } from './words.ts';

/** The sections of the document, in the order in which they are shown. */
export type Section =
  | 'Plate check'
  | 'Evidence'
  | 'Parking meters'
  | 'Reports'
  | 'Public'
  | 'Imports'
  | 'Administration'
  | 'Service';

export interface Example {
  readonly summary: string;
  readonly value: unknown;
}
export type Examples = Readonly<Record<string, Example>>;

interface BodyWords {
  readonly words: string;
  /** The schema of the JSON body; of a line where the body is one of lines. */
  readonly component: Component;
  readonly examples: Examples;
}

export interface Parameters {
  readonly in: 'query' | 'path';
  readonly component: Component;
  readonly examples: Readonly<Record<string, string | number>>;
}

/** What the document says about an operation beyond the operation's own value. */
interface OperationWords {
  readonly section: Section;
  readonly summary: string;
  readonly words: string;
  readonly parameters?: readonly Parameters[];
  readonly body?: BodyWords;
  readonly answer: {
    readonly words: string;
    /** The whole body, envelope included. Null: the document itself. */
    readonly component: Component | null;
    readonly examples: Examples;
  };
}

/** An operation with its words. */
export interface DescribedOperation extends OperationWords {
  readonly of: Operation;
}

/** Describes an operation. */
export const describe = (of: Operation, words: OperationWords): DescribedOperation => ({ of, ...words });

/** What a feature contributes to the document: the export `DESCRIPTION` of its `description.ts`. */
export interface FeatureDescription {
  readonly operations: readonly DescribedOperation[];
  /** The parts of its requests and answers, apart from the bodies themselves. */
  readonly parts: readonly Component[];
}

/** The media type of an operation's body, if it takes one. */
export function bodyMediaType({ body }: Operation): 'application/json' | 'application/x-ndjson' | null {
  switch (body?.kind) {
    case undefined:
      return null;
    case 'json':
      return 'application/json';
    case 'lines':
      return 'application/x-ndjson';
    default:
      return body satisfies never;
  }
}
