import { html } from 'hono/html';
import { fold, withSteeringShown } from '../../base/text/text.ts';
import type { Snapshot } from '../../core/snapshots/snapshot.ts';
import { type DataQuality, lastSuccess } from '../../domain/public-status.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import { areaItem, freeOf, type ViewedArea, viewsOf } from './areas.ts';
import {
  type Asked,
  currentIf,
  elsewhere,
  type Html,
  here,
  paged,
  pageOf,
  searchForm,
  timesOf,
} from './page.ts';

const AREAS_PER_PAGE = 100;

/** In the order in which readers choose. */
const TYPES = ['facility', 'street'] as const;

/** The areas of a city: their free spaces now and later, and their details. For readers, or for a frame in another site's page. */
export function cityPage(asked: Asked, snapshot: Snapshot, quality: DataQuality): Promise<string> {
  const { query, texts, isFrame } = asked;
  const { code, name, timeZone, dataProtectionUrl, accessibilityUrl } = snapshot.municipality;
  const title = texts.cityTitle(withSteeringShown(name));
  const city = `/cities/${encodeURIComponent(code)}`;
  const times = timesOf(asked, snapshot.at, timeZone);
  const hasBothTypes = new Set(snapshot.areas.map(({ areaType }) => areaType)).size > 1;
  const found = findAreas(asked, viewsOf(snapshot, quality));
  const shown = found.filter(({ areaType }) => areaType === (query.area_type ?? areaType));
  const { items, pager } = paged(asked, shown, AREAS_PER_PAGE);
  const last = lastSuccess(snapshot.sources);
  const notices: Readonly<Record<DataQuality, string | null>> = {
    good: null,
    degraded: texts.degraded,
    outdated: texts.outdated(last && times.short(last)),
  };
  const [known, words] =
    quality === 'good' ? [snapshot.at, texts.asOf] : [last ?? snapshot.at, texts.lastKnown];
  const time = html`<time datetime="${formatInstant(known, timeZone)}">${times.short(known)}</time>`;
  const [before, after] = words('\0').split('\0');
  const whole = here({ ...asked, path: city }, { area: [], q: undefined, page: undefined, theme: undefined });
  const nothing = query.q === undefined ? texts.noAreas : texts.nothingFound(query.q);
  return pageOf(asked, {
    ...{ title, script: 'live', style: 'city' },
    body: html`<main>
<h1>${isFrame ? html`<a href="${whole}" target="_blank" rel="noopener">${title}</a>` : title}</h1>
<p class="said"><span id="asof">${quality !== 'outdated' && [before, time, after]}</span> <span id="notice" role="status">${notices[quality]}</span><span class="note">${texts.derived}</span></p>
${isFrame || controlsOf(asked, snapshot, found, pager === null ? items : [])}
<div id="live" class="${quality}" data-offline="${texts.offline}">
${items.length === 0 ? html`<p>${nothing}</p>` : html`<ol class="areas">${items.map((area) => areaItem(area, { asked, times, hasBothTypes }))}</ol>`}
${pager}
</div>
</main>`,
    links: html`<a href="${elsewhere(asked, `${city}/data`)}">${texts.data}</a> ${statement(dataProtectionUrl, texts.dataProtection)} ${statement(accessibilityUrl, texts.accessibility)} `,
  });
}

const statement = (address: string | null, text: string): Html | null =>
  address === null ? null : html`<a href="${address}" rel="noopener">${text}</a>`;

/** The areas that the reader names and searches, sorted, of both types; unknown codes are ignored. */
function findAreas({ query, texts }: Asked, all: readonly ViewedArea[]): ViewedArea[] {
  const wanted = fold(query.q ?? '');
  const named = all.filter(({ code }) => query.area.includes(code));
  const collator = new Intl.Collator(texts.locale, { numeric: true, sensitivity: 'base' });
  const byFree = query.sort === undefined ? 1 : 0;
  return (named.length > 0 ? named : all)
    .filter(({ name }) => fold(name).includes(wanted))
    .sort((a, b) => byFree * (freeOf(b) - freeOf(a)) || collator.compare(a.name, b.name));
}

/**
 * The nearest areas, by a script; a search where there are many; which areas to show, and how to sort them.
 *
 * @param whole the list, if it is not divided into pages
 */
function controlsOf(
  asked: Asked,
  { areas }: Snapshot,
  found: readonly ViewedArea[],
  whole: readonly ViewedArea[],
): Html {
  const { query, texts } = asked;
  const canFindNearest = whole.some(({ latitude }) => latitude !== null);
  const types = TYPES.filter((type) => found.some(({ areaType }) => areaType === type));
  const choice = (name: 'area_type' | 'sort', text: string, value?: 'facility' | 'street' | 'name'): Html =>
    html`<a href="${here(asked, { [name]: value, page: undefined })}"${currentIf(query[name] === value)}>${text}</a>`;
  const show = [
    choice('area_type', texts.everything),
    ...types.map((type) => choice('area_type', texts.filters[type], type)),
  ];
  const sort = [choice('sort', texts.orders.free), choice('sort', texts.orders.name, 'name')];
  return html`<div class="controls">
${canFindNearest && html`<button id="near" class="main" type="button" aria-pressed="false" data-denied="${texts.nearDenied}"><svg viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="4"/><path d="M8 0v4m0 8v4M0 8h4m8 0h4"/></svg>${texts.near}</button>`}
${searchForm(asked, areas.length, texts.searchArea)}
${(types.length > 1 || query.area_type) && segments(texts.show, show)}
${found.length > 1 && segments(texts.sort, sort)}
</div>`;
}

const segments = (label: string, links: readonly Html[]): Html =>
  html`<nav class="segments" aria-label="${label}"><span aria-hidden="true">${label}</span><div>${links}</div></nav>`;
