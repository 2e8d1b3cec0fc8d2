import type * as z from 'zod';
import type { Contract } from '../../../../src/serving/contract.ts';
import type { SECTIONS } from './guide.ts';

type Section = keyof typeof SECTIONS;

/** The words about an operation, beyond the operation's own value. */
interface OperationWords {
  readonly summary: string;
  readonly words: string;
  /** A value of each parameter. */
  readonly parameters?: Readonly<Record<string, string | number>>;
  /** An example of the body; of lines, a list of them. */
  readonly request?: unknown;
  /** Of an operation that reads its own body: the schema of the JSON body, or of a line. */
  readonly schema?: z.ZodObject;
  /** An example of what follows the envelope; of lines, a list of them. */
  readonly answer?: unknown;
}

/** An operation with its words, and the section of the document that it is in. */
export interface DescribedOperation extends OperationWords {
  readonly section: Section;
  readonly of: Contract;
}

/** Describes an operation. */
export const describe = (section: Section, of: Contract, words: OperationWords): DescribedOperation => ({
  ...{ section, of },
  ...words,
});

/** The media type of an operation's body, if it takes one. */
export function bodyMediaType({ body }: Contract): 'application/json' | 'application/x-ndjson' | null {
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
