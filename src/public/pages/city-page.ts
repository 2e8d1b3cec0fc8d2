import { fold, withSteeringShown } from '../../base/text/text.ts';
import type { Snapshot } from '../../core/snapshots/snapshot.ts';
import type { Instant } from '../../domain/instant.ts';
import { type DataQuality, lastSuccess } from '../../domain/public-status.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import { areaItem, compareFree, type ViewedArea, viewOf } from './area-view.ts';
import { documentOf, type Html, html, LIVE_SCRIPT, pager, searchForm, trustMarkup } from './layout.ts';
import { AREA_ORDERS, type Listed, languageOf, type PageQuery, queryOf, selectPage } from './page-query.ts';
import { TEXTS, type Texts } from './texts.ts';

/** A city's page, for readers or for a frame in another site's page. */
interface CityPage {
  readonly snapshot: Snapshot;
  readonly quality: DataQuality;
  readonly query: PageQuery;
  readonly isFrame: boolean;
}

/** The areas of a city: their free spaces now and later, and their details. */
export function cityPage(page: CityPage): string {
  const { snapshot, quality, query, isFrame } = page;
  const { code, timeZone } = snapshot.municipality;
  const shown = withSteeringShown(snapshot.municipality.name);
  const texts = TEXTS[query.language];
  const part = encodeURIComponent(code);
  const path = `/${isFrame ? 'embed' : 'cities'}/${part}`;
  const selected = selectAreas(page, texts);
  const list = selectPage(selected, query.page);
  const areas = list.items.map((viewed, index) => ({ ...viewed, number: list.from + index + 1 }));
  const time = timeOf(snapshot.at, timeZone, texts);
  const week = new Intl.DateTimeFormat(texts.locale, {
    ...({ weekday: 'short', hour: '2-digit', minute: '2-digit' } as const),
    timeZone,
  });
  const setting = {
    ...{ texts, quality, isFrame, time: time.short, when: (at: Instant) => week.format(at) },
    hasBothTypes: new Set(snapshot.areas.map(({ areaType }) => areaType)).size > 1,
  };
  const whole = `/cities/${part}${queryOf({ ...query, areas: [], text: '', page: 1 })}`;
  return documentOf({
    title: texts.cityTitle(shown),
    path,
    query,
    style: isFrame ? 'frame' : 'city',
    script: LIVE_SCRIPT,
    body: html`<main>
<h1>${isFrame ? html`<a href="${whole}" target="_blank" rel="noopener">${texts.cityTitle(shown)}</a>` : texts.cityTitle(shown)}</h1>
${
  isFrame
    ? null
    : html`${searchForm(path, query, texts.searchArea, texts)}
${writeFilters(path, query, texts)}
${writeOrders(path, query, list, texts)}`
}
<div class="said" data-longest="${texts.outdated(time.long(snapshot.at))}">
<p class="note">${texts.derived}</p>
<p id="notice" class="notice" role="status">${noticeOf(page, time.short, texts)}</p>
</div>
<div id="live" class="${quality}" data-offline="${texts.offline}">
<p class="asof">${writeInstant(page, time.short, texts)}</p>
${areas.length === 0 ? html`<p>${query.text === '' ? texts.noAreas : texts.nothingFound(query.text)}</p>` : html`<ol class="areas">${areas.map((shown) => areaItem(shown, setting))}</ol>`}
${pager(path, query, list, texts)}
</div>
</main>`,
    footer: isFrame ? null : writeFooter(page, `${path}/data`, texts),
  });
}

/** The areas that the query asks for, in its order; unknown codes are ignored. */
function selectAreas({ snapshot, quality, query }: CityPage, texts: Texts): ViewedArea[] {
  const collator = new Intl.Collator(texts.locale, { numeric: true, sensitivity: 'base' });
  const wanted = fold(query.text);
  const known = new Set(snapshot.areas.map(({ code }) => code));
  const codes = new Set(query.areas.filter((code) => known.has(code)));
  const found = snapshot.areas.filter(
    ({ code, name, areaType }) =>
      (query.areaType === null || areaType === query.areaType) &&
      (codes.size === 0 || codes.has(code)) &&
      fold(name).includes(wanted),
  );
  return found
    .map((area) => ({ area, view: viewOf(area, snapshot, quality) }))
    .sort(
      (a, b) =>
        (query.order === 'free' ? compareFree(a, b) : 0) || collator.compare(a.area.name, b.area.name),
    );
}

function writeFilters(path: string, query: PageQuery, texts: Texts): Html {
  const link = (areaType: PageQuery['areaType'], text: string): Html =>
    html`<a href="${path}${queryOf(query, { areaType, page: 1 })}"${areaType === query.areaType ? trustMarkup(' aria-current="true"') : null}>${text}</a>`;
  return html`<nav class="filters" aria-label="${texts.filter}">
${link(null, texts.everything)} ${link('facility', texts.filters.facility)} ${link('street', texts.filters.street)}
</nav>`;
}

/** The orders of the list. A script adds the nearest first, where the browser tells the place and the list is whole. */
function writeOrders(path: string, query: PageQuery, list: Listed<ViewedArea>, texts: Texts): Html {
  const links = AREA_ORDERS.map(
    (order) =>
      html`<a href="${path}${queryOf(query, { order, page: 1 })}"${order === query.order ? trustMarkup(' aria-current="true"') : null}>${texts.orders[order]}</a> `,
  );
  return html`<nav class="filters" aria-label="${texts.order}">${links}${list.pages > 1 ? null : html`<button id="near" type="button" aria-pressed="false" data-denied="${texts.nearDenied}" disabled>${texts.near}</button>`}</nav>`;
}

/** When the figures were made, or, where payments are late, when they were last known. */
function writeInstant(
  { snapshot: { at, sources, municipality }, quality }: CityPage,
  time: (at: Instant) => string,
  texts: Texts,
): Html | null {
  if (quality === 'outdated') return null;
  const [instant, words] =
    quality === 'good' ? [at, texts.asOf] : [lastSuccess(sources) ?? at, texts.lastKnown];
  const [before = '', after = ''] = words('\u0000').split('\u0000');
  return html`${before}<time datetime="${formatInstant(instant, municipality.timeZone)}">${time(instant)}</time>${after}`;
}

/** What a public page owes its readers: the data behind it, and the municipality's statements. */
function writeFooter({ snapshot: { municipality }, query }: CityPage, data: string, texts: Texts): Html {
  const link = (address: string | null, text: string): Html | null =>
    address === null ? null : html`<a href="${address}" rel="noopener">${text}</a>`;
  return html`<footer class="links">
<a href="${data}${queryOf(languageOf(query))}">${texts.data}</a>
${link(municipality.dataProtectionUrl, texts.dataProtection)}
${link(municipality.accessibilityUrl, texts.accessibility)}
</footer>`;
}

/** A notice about the data; nothing while they are good. */
function noticeOf(
  { snapshot, quality }: CityPage,
  time: (at: Instant) => string,
  texts: Texts,
): string | null {
  const last = lastSuccess(snapshot.sources);
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

/** How instants are written by the city's clock: always with the date, or only where it is not that of the counters. */
interface Times {
  readonly long: (instant: Instant) => string;
  readonly short: (instant: Instant) => string;
}

function timeOf(at: Instant, timeZone: string, { locale }: Texts): Times {
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone });
  const short = new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone });
  const long = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone });
  const today = day.format(at);
  return {
    long: (instant) => long.format(instant),
    short: (instant) => (day.format(instant) === today ? short : long).format(instant),
  };
}
