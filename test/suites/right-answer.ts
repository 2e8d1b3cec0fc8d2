import type * as z from 'zod';

/** What a parameter of a path stands for. */
export type PathParameter =
  | 'a credential'
  | 'a revoked credential'
  | 'a call'
  | 'a public municipality'
  | 'a facility';

/**
 * How the shared suites call each operation, by its id: with what it needs to know the answer of. An operation that is new
 * gets its entry here, and goes through all of them.
 *
 * The city is that of `suites/entitled-city.ts`: the plate AB123CD holds all that can be held.
 */
export interface RightAnswer {
  /** A call that stores something stores something new each time. */
  readonly body?: (serial: number) => object | string;
  /** What stands in the answer: it says yes, so that no failure can be taken for it, and no negative. */
  readonly right: object;
  /** Its status, where that is not its success: of what these suites have nothing for. */
  readonly status?: number;
  /** Query parameters that every call needs. */
  readonly query?: Readonly<Record<string, string>>;
  /** Right values of all query parameters, for those who bend them; `CREDENTIAL` stands for the id of one. */
  readonly allQuery?: Readonly<Record<string, string>>;
  /** What each parameter of the path stands for. */
  readonly path?: Readonly<Record<string, PathParameter>>;
  /** The schema that its body is made after, where that is not what the operation validates with; of a line. */
  readonly bodySchema?: z.ZodType;
  readonly asksObject?: true;
  /** False where its answer stands without the database: it says that it is away. */
  readonly asksDatabase?: false;
  readonly writes?: true;
  /** Whether calls at once would get into each other's way, which is for other tests. */
  readonly oneByOne?: true;
  /** Its last round trips to the database only renew what follows from the others. */
  readonly renewsLast?: true;
  /** It takes turns with others of its kind, or calls many objects: it is sent fewer hostile requests. */
  readonly slow?: true;
  /** What an office of another tenant is answered; `[]` where it gets lists of its own tenant alone, with nothing in them. */
  readonly toOthersOffice?: 'TENANT_NOT_ALLOWED' | 'MUNICIPALITY_NOT_ALLOWED' | 'NOT_FOUND' | readonly [];
  /** Its answer shows a new token. */
  readonly showsTokens?: true;
  /** The tables where a refused call of it may leave something. */
  readonly writesWhenRefused?: readonly string[];
}
