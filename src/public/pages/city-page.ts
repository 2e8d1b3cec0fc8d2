import { fold, withSteeringShown } from '../../base/text/text.ts';
import type { Snapshot } from '../../core/snapshots/snapshot.ts';
import type { Instant } from '../../domain/instant.ts';
import { type DataQuality, lastSuccess } from '../../domain/public-status.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import { areaItem, compareFree, type ViewedArea, viewsOf } from './area-view.ts';
import {
  currentIf,
  documentOf,
  type Html,
  html,
  LIVE_SCRIPT,
  pager,
  SEARCHED_FROM,
  searchForm,
} from './layout.ts';
import { AREA_ORDERS, type Listed, languageOf, type PageQuery, queryOf, selectPage } from './page-query.ts';
import { TEXTS, type Texts } from './texts.ts';
import { timesOf } from './times.ts';

/** Areas on a page of the list. */
const AREAS_PER_PAGE = 100;

/** In the order in which readers choose. */
const TYPES = ['facility', 'street'] as const;

/** A city's page, for readers or for a frame in another site's page. */
interface CityPage {
  readonly snapshot: Snapshot;
  readonly quality: DataQuality;
  readonly query: PageQuery;
  readonly isFrame: boolean;
}

/** The areas of a city: their free spaces now and later, and their details. */
export function cityPage({ snapshot, quality, query, isFrame }: CityPage): string {
  const { municipality, areas, at } = snapshot;
  const { code, timeZone } = municipality;
  const texts = TEXTS[query.language];
  const title = texts.cityTitle(withSteeringShown(municipality.name));
  const part = encodeURIComponent(code);
  const path = `/${isFrame ? 'embed' : 'cities'}/${part}`;
  const found = findAreas(snapshot, quality, query);
  const selected = sortAreas(
    found.filter(({ area }) => query.areaType === null || area.areaType === query.areaType),
    query,
  );
  const list = selectPage(selected, query.page, AREAS_PER_PAGE);
  const times = timesOf(at, timeZone, texts);
  const setting = {
    ...{ texts, isFrame, time: times.short, when: times.inWeek },
    hasBothTypes: new Set(areas.map(({ areaType }) => areaType)).size > 1,
  };
  const whole = `/cities/${part}${queryOf({ ...query, areas: [], text: '', page: 1, theme: null })}`;
  return documentOf({
    ...{ title, path, query, isFrame },
    script: LIVE_SCRIPT,
    body: html`<main>
<h1>${isFrame ? html`<a href="${whole}" target="_blank" rel="noopener">${title}</a>` : title}</h1>
<p class="said"><span id="asof">${quality === 'outdated' ? null : instantOf(snapshot, quality, times.short, texts)}</span> <span id="notice" role="status">${noticeOf(snapshot, quality, times.short, texts)}</span><span class="note">${texts.derived}</span></p>
${isFrame ? null : writeControls(path, query, areas.length, found, list, texts)}
<div id="live" class="${quality}" data-offline="${texts.offline}">
${list.all === 0 ? html`<p>${query.text === '' ? texts.noAreas : texts.nothingFound(query.text)}</p>` : html`<ol class="areas">${list.items.map((viewed) => areaItem(viewed, setting))}</ol>`}
${pager(path, query, list, texts)}
</div>
</main>`,
    links: html`<a href="/cities/${part}/data${queryOf(languageOf(query))}">${texts.data}</a> ${statement(municipality.dataProtectionUrl, texts.dataProtection)} ${statement(municipality.accessibilityUrl, texts.accessibility)} `,
  });
}

const statement = (address: string | null, text: string): Html | null =>
  address === null ? null : html`<a href="${address}" rel="noopener">${text}</a>`;

/** The areas that the query names and searches, of both types; unknown codes are ignored. */
function findAreas(snapshot: Snapshot, quality: DataQuality, query: PageQuery): ViewedArea[] {
  const wanted = fold(query.text);
  const known = new Set(snapshot.areas.map(({ code }) => code));
  const codes = new Set(query.areas.filter((code) => known.has(code)));
  return viewsOf(snapshot, quality).filter(
    ({ area: { code, name } }) => (codes.size === 0 || codes.has(code)) && fold(name).includes(wanted),
  );
}

function sortAreas(areas: readonly ViewedArea[], { language, order }: PageQuery): ViewedArea[] {
  const collator = new Intl.Collator(TEXTS[language].locale, { numeric: true, sensitivity: 'base' });
  return areas.toSorted(
    (a, b) => (order === 'free' ? compareFree(a, b) : 0) || collator.compare(a.area.name, b.area.name),
  );
}

/** The nearest areas, by a script; a search where there are many; which areas to show, and how to sort them. */
function writeControls(
  path: string,
  query: PageQuery,
  count: number,
  found: readonly ViewedArea[],
  list: Listed<ViewedArea>,
  texts: Texts,
): Html {
  const canFindNearest = list.pages === 1 && list.items.some(({ area }) => area.coordinates !== null);
  const types = TYPES.filter((type) => found.some(({ area }) => area.areaType === type));
  const choice = <Value>(value: Value, current: Value, changed: Partial<PageQuery>, text: string): Html =>
    html`<a href="${path}${queryOf(query, { ...changed, page: 1 })}"${currentIf(value === current)}>${text}</a>`;
  return html`<div class="controls">
${canFindNearest ? html`<button id="near" class="main" type="button" aria-pressed="false" data-denied="${texts.nearDenied}"><svg viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="4"/><path d="M8 0v4m0 8v4M0 8h4m8 0h4"/></svg>${texts.near}</button>` : null}
${count >= SEARCHED_FROM || query.text !== '' ? searchForm(path, query, texts.searchArea, texts) : null}
${
  types.length > 1 || query.areaType !== null
    ? segments(texts.show, [
        choice(null, query.areaType, { areaType: null }, texts.everything),
        ...types.map((type) => choice(type, query.areaType, { areaType: type }, texts.filters[type])),
      ])
    : null
}
${
  list.all > 1
    ? segments(
        texts.sort,
        AREA_ORDERS.map((order) => choice(order, query.order, { order }, texts.orders[order])),
      )
    : null
}
</div>`;
}

const segments = (label: string, links: readonly Html[]): Html =>
  html`<nav class="segments" aria-label="${label}"><span aria-hidden="true">${label}</span><div>${links}</div></nav>`;

/** When the figures were made, or, where payments are late, when they were last known. */
function instantOf(
  { at, sources, municipality }: Snapshot,
  quality: DataQuality,
  time: (at: Instant) => string,
  texts: Texts,
): Html {
  const [instant, words] =
    quality === 'good' ? [at, texts.asOf] : [lastSuccess(sources) ?? at, texts.lastKnown];
  const [before = '', after = ''] = words('\u0000').split('\u0000');
  return html`${before}<time datetime="${formatInstant(instant, municipality.timeZone)}">${time(instant)}</time>${after}`;
}

/** A notice about the data; nothing while they are good. */
function noticeOf(
  { sources }: Snapshot,
  quality: DataQuality,
  time: (at: Instant) => string,
  texts: Texts,
): string | null {
  const last = lastSuccess(sources);
  switch (quality) {
    case 'good':
      return null;
    case 'degraded':
      return texts.degraded;
    case 'outdated':
      return texts.outdated(last === null ? null : time(last));
    default:
      return quality satisfies never;
  }
}
