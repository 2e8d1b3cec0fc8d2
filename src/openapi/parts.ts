import type { BudgetName } from '../access/admission.ts';
import type { Scope } from '../access/credential-record.ts';
import type { TokenHeaders } from '../access/presented-token.ts';
import type { ErrorCode } from '../errors/error-codes.ts';
import type { Component } from './words.ts';

/** The sections of the document, in the order in which they are shown. */
export type Section = 'Plate check' | 'Parking meters' | 'Reports' | 'Imports' | 'Administration' | 'Service';

export interface Example {
  readonly summary: string;
  readonly value: unknown;
}
export type Examples = Readonly<Record<string, Example>>;

/** Who may call an operation. */
export type Access =
  | { readonly by: 'anybody' }
  | { readonly by: 'administrator' }
  | {
      readonly by: 'credential';
      readonly scope: Scope;
      readonly budget: BudgetName;
      readonly tokenHeaders: TokenHeaders;
    };

export interface Body {
  readonly contentType: string;
  readonly required: boolean;
  readonly maxBytes: number;
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

/** An operation as the document describes it. */
export interface Operation {
  readonly method: 'get' | 'post' | 'put' | 'patch';
  readonly path: string;
  readonly id: string;
  readonly section: Section;
  readonly summary: string;
  readonly words: string;
  readonly access: Access;
  readonly parameters?: readonly Parameters[];
  readonly body?: Body;
  readonly answer: {
    readonly status: 200 | 201;
    readonly words: string;
    /** The whole body, envelope included. Null: the document itself. */
    readonly component: Component | null;
    readonly examples: Examples;
  };
  /** The codes that it answers beside those that follow from who may call it and from its body. */
  readonly errors: readonly ErrorCode[];
  /** Whether its answers are marked as a report's. */
  readonly isReport?: boolean;
  /** Whether pages of any origin may call it. */
  readonly anyOrigin?: boolean;
  /** Whether a client may keep the answer, and ask whether it still holds. */
  readonly isCached?: boolean;
}
