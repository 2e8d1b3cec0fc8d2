import type { AreaType } from '../db/schema/configuration.ts';
import type { AreaStatus } from '../domain/public-status.ts';

/** What the pages say in one language. */
export interface Texts {
  /** The language's own name. */
  readonly language: string;
  /** For `Intl`. */
  readonly locale: string;
  readonly languages: string;
  readonly title: string;
  readonly intro: string;
  readonly allCities: string;
  readonly developers: string;
  readonly search: string;
  readonly searchCity: string;
  readonly searchArea: string;
  readonly noCities: string;
  readonly noAreas: string;
  readonly nothingFound: (text: string) => string;
  readonly shown: (from: string, to: string, all: string) => string;
  readonly previous: string;
  readonly next: string;
  readonly pages: string;
  readonly cityTitle: (city: string) => string;
  readonly filter: string;
  readonly everything: string;
  readonly filters: Readonly<Record<AreaType, string>>;
  readonly types: Readonly<Record<AreaType, string>>;
  readonly statuses: Readonly<Record<AreaStatus, string>>;
  readonly asOf: (time: string) => string;
  readonly derived: string;
  readonly degraded: string;
  readonly outdated: (time: string | null) => string;
  readonly offline: string;
  readonly now: string;
  /** Instead of now, where figures are late. No longer than the words of the rows below it. */
  readonly last: string;
  readonly inMinutes: (minutes: string) => string;
  readonly free: (count: string, capacity: string) => string;
  readonly lastKnown: (time: string) => string;
  readonly notKnown: string;
  readonly closedUntil: (time: string) => string;
  readonly address: string;
  readonly hours: string;
  readonly paidUntil: (time: string) => string;
  readonly unpaidUntil: (time: string) => string;
  readonly unpaid: string;
  readonly price: string;
  readonly height: string;
  readonly disabled: string;
  readonly charging: string;
  readonly website: string;
  readonly map: string;
  readonly mapNote: string;
  readonly data: string;
  readonly dataNote: string;
  readonly widgetSnippet: string;
  readonly frameSnippet: string;
  readonly fullPage: string;
  readonly notFound: string;
  readonly notFoundNote: string;
  readonly failing: string;
  readonly failingNote: string;
}
