import { fold } from '../../base/text/text.ts';
import { type PublicMunicipality, qualityOf } from '../../core/snapshots/public-directory.ts';
import type { Snapshot } from '../../core/snapshots/snapshot.ts';
import type { Instant } from '../../domain/instant.ts';
import { NO_VEHICLES } from '../../domain/occupancy.ts';
import { lastSuccess, publicView } from '../../domain/public-status.ts';
import { sum } from '../../domain/sum.ts';
import { freeSpaces, statusOf, viewsOf } from './area-view.ts';
import {
  documentOf,
  type Html,
  html,
  LIVE_SCRIPT,
  nameOf,
  pager,
  SEARCHED_FROM,
  searchForm,
} from './layout.ts';
import { type Listed, languageOf, type PageQuery, queryOf, selectPage } from './page-query.ts';
import { TEXTS, type Texts } from './texts.ts';
import { timesOf } from './times.ts';

/** Each city on the page costs a read of its snapshot. */
const CITIES_PER_PAGE = 24;

/** The cities whose names the query searches, by name: those of its page. */
export function selectCities(
  cities: readonly PublicMunicipality[],
  { language, text, page }: PageQuery,
): Listed<PublicMunicipality> {
  const collator = new Intl.Collator(TEXTS[language].locale, { numeric: true, sensitivity: 'base' });
  const wanted = fold(text);
  const found = cities
    .filter(({ name }) => fold(name).includes(wanted))
    .sort((a, b) => collator.compare(a.name, b.name) || (a.code < b.code ? -1 : 1));
  return selectPage(found, page, CITIES_PER_PAGE);
}

interface CitiesPage {
  /** How many cities publish their free spaces. */
  readonly count: number;
  readonly list: Listed<PublicMunicipality>;
  /** Of the listed cities, by code; without those that have no recent one. */
  readonly snapshots: ReadonlyMap<string, Snapshot>;
  readonly query: PageQuery;
  readonly now: Instant;
}

/** The page of all cities that publish their free spaces. */
export function citiesPage({ count, list, snapshots, query, now }: CitiesPage): string {
  const texts = TEXTS[query.language];
  const nothing = count === 0 ? texts.noCities : texts.nothingFound(query.text);
  return documentOf({
    ...{ title: texts.title, path: '/', query, script: LIVE_SCRIPT },
    body: html`<main>
<h1>${texts.title}</h1>
<p class="said"><span id="notice" role="status"></span><span class="note">${texts.intro}</span></p>
${count >= SEARCHED_FROM || query.text !== '' ? html`<div class="controls">${searchForm('/', query, texts.searchCity, texts)}</div>` : null}
<div id="live" data-offline="${texts.offline}">
${list.all === 0 ? html`<p>${nothing}</p>` : html`<ul class="cards">${list.items.map((city) => cityCard(city, snapshots.get(city.code), query, now))}</ul>`}
</div>
${pager('/', query, list, texts)}
</main>`,
  });
}

/** A city as a link, with its free spaces where they are known. */
export function cityCard(
  { code, name }: PublicMunicipality,
  snapshot: Snapshot | undefined,
  query: PageQuery,
  now: Instant,
): Html {
  const texts = TEXTS[query.language];
  const link = html`<h2><a href="/cities/${encodeURIComponent(code)}${queryOf(languageOf(query))}">${nameOf(name)}</a></h2>`;
  if (snapshot === undefined) return html`<li class="card">${link}</li>`;
  const { quality, capacity, view } = seenAsOne(snapshot, now);
  const free = view.figures?.availableNow;
  return html`<li class="card ${quality} ${view.status}">
${link}
${free === undefined ? null : html`<p class="free">${freeSpaces(free, capacity, texts)}</p>`}
${statusOf(view.status, texts.statuses[view.status])}
<p class="note">${knownText(snapshot, quality === 'good', texts)}</p>
</li>
`;
}

/** All areas of a city together that have figures, seen by the rules of one. */
function seenAsOne(snapshot: Snapshot, now: Instant) {
  const quality = qualityOf(snapshot, now);
  const shown = viewsOf(snapshot, quality).filter(({ view }) => view.figures !== null);
  const capacity = sum(shown.map(({ area }) => area.capacity ?? 0));
  const free = sum(shown.map(({ view }) => view.figures?.availableNow ?? 0));
  const whole = {
    capacity: shown.length === 0 ? null : capacity,
    counters: { ...NO_VEHICLES, activeNow: capacity - free },
    closedUntil: null,
  };
  return { quality, capacity, view: publicView(whole, snapshot.at, quality) };
}

function knownText({ at, sources, municipality }: Snapshot, isGood: boolean, texts: Texts): string {
  const { short } = timesOf(at, municipality.timeZone, texts);
  return isGood ? texts.asOf(short(at)) : texts.lastKnown(short(lastSuccess(sources) ?? at));
}
