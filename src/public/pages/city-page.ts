import { fold } from '../../base/text/fold.ts';
import type { Snapshot } from '../../core/snapshots/snapshot.ts';
import type { Instant } from '../../domain/instant.ts';
import { type DataQuality, lastSuccess } from '../../domain/public-status.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import { areaItem, type ShownArea, viewOf } from './area-view.ts';
import { cityMap } from './city-map.ts';
import { type Html, html, trustMarkup } from './html.ts';
import { documentOf, pager, searchForm } from './layout.ts';
import { type Listed, type PageQuery, queryOf, selectPage } from './page-query.ts';
import { LIVE_SCRIPT } from './script-paths.ts';
import { TEXTS } from './texts.ts';
import type { Texts } from './texts-en.ts';

/** A city's page, for readers or for a frame in somebody else's. */
interface CityPage {
  readonly snapshot: Snapshot;
  readonly quality: DataQuality;
  readonly query: PageQuery;
  readonly isFrame: boolean;
  /** The service's own origin, for the code that readers copy into pages of their own. */
  readonly origin: string;
}

/** The areas of a city: their free spaces now and later, and their details. */
export function cityPage(page: CityPage): string {
  const { snapshot, quality, query, isFrame, origin } = page;
  const { code, name, timeZone } = snapshot.municipality;
  const texts = TEXTS[query.language];
  const part = encodeURIComponent(code);
  const path = `/${isFrame ? 'embed' : 'cities'}/${part}`;
  const list = selectAreas(page, texts);
  const areas: readonly ShownArea[] = list.items.map((area, index) => ({
    area,
    view: viewOf(area, snapshot, quality),
    number: list.from + index + 1,
  }));
  const time = timeOf(snapshot.at, timeZone, texts);
  const lateSince = quality === 'good' ? null : time.short(lastSuccess(snapshot.sources) ?? snapshot.at);
  const week = new Intl.DateTimeFormat(texts.locale, {
    ...({ weekday: 'short', hour: '2-digit', minute: '2-digit' } as const),
    timeZone,
  });
  const setting = { texts, lateSince, time: time.short, when: (at: Instant) => week.format(at) };
  const whole = `/cities/${part}${queryOf({ ...query, areas: [], text: '', page: 1 })}`;
  return documentOf({
    title: texts.cityTitle(name),
    path,
    query,
    isFrame,
    script: LIVE_SCRIPT,
    body: html`<main>
<h1>${isFrame ? html`<a href="${whole}" target="_blank" rel="noopener">${texts.cityTitle(name)}</a>` : texts.cityTitle(name)}</h1>
${
  isFrame
    ? null
    : html`${searchForm(path, query, texts.searchArea, texts)}
${writeFilters(path, query, texts)}`
}
<div class="said" data-longest="${texts.outdated(time.long(snapshot.at))}">
<p class="note">${texts.derived}</p>
<p id="notice" class="notice" role="status">${noticeOf(page, time.short, texts)}</p>
</div>
<div id="live" class="${quality}" data-offline="${texts.offline}">
<p class="asof">${quality === 'outdated' ? null : writeInstant(snapshot, timeZone, time.short, texts)}</p>
${areas.length === 0 ? html`<p>${query.text === '' ? texts.noAreas : texts.nothingFound(query.text)}</p>` : html`<ol class="areas">${areas.map((shown) => areaItem(shown, setting))}</ol>`}
${pager(path, query, list, texts)}
${isFrame ? null : cityMap(areas, texts)}
</div>
${isFrame ? null : openData(part, origin, query, texts)}
</main>`,
  });
}

/** The areas that the query asks for, by name; unknown codes are ignored. */
function selectAreas({ snapshot, query }: CityPage, texts: Texts): Listed<Snapshot['areas'][number]> {
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
  return selectPage(
    found.sort((a, b) => collator.compare(a.name, b.name)),
    query.page,
  );
}

function writeFilters(path: string, query: PageQuery, texts: Texts): Html {
  const link = (areaType: PageQuery['areaType'], text: string): Html =>
    html`<a href="${path}${queryOf(query, { areaType, page: 1 })}"${areaType === query.areaType ? trustMarkup(' aria-current="true"') : null}>${text}</a>`;
  return html`<nav class="filters" aria-label="${texts.filter}">
${link(null, texts.everything)} ${link('facility', texts.filters.facility)} ${link('street', texts.filters.street)}
</nav>`;
}

function writeInstant({ at }: Snapshot, timeZone: string, time: (at: Instant) => string, texts: Texts): Html {
  const [before = '', after = ''] = texts.asOf('\u0000').split('\u0000');
  return html`${before}<time datetime="${formatInstant(at, timeZone)}">${time(at)}</time>${after}`;
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

function openData(part: string, origin: string, { language }: PageQuery, texts: Texts): Html {
  const api = `/api/v2/public/municipalities/${part}`;
  // The widget speaks two languages.
  const lang = language === 'it' ? 'it' : 'en';
  const code = decodeURIComponent(part).replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const widget = `<script type="module" src="${origin}/widget/v1.js"></script>
<parking-occupancy base="${origin}" municipality="${code}" lang="${lang}"></parking-occupancy>`;
  const frame = `<iframe src="${origin}/embed/${part}?lang=${language}" title="${texts.title}" width="100%" height="600"></iframe>`;
  return html`<section class="data">
<h2>${texts.data}</h2>
<p>${texts.dataNote}</p>
<p class="links"><a href="${api}/occupancy">JSON</a> <a href="${api}/occupancy.geojson">GeoJSON</a> <a href="${api}/parking-publication-light">DATEX II</a></p>
<label for="widget">${texts.widgetSnippet}</label>
<textarea id="widget" readonly rows="3" spellcheck="false">${widget}</textarea>
<label for="frame">${texts.frameSnippet}</label>
<textarea id="frame" readonly rows="2" spellcheck="false">${frame}</textarea>
</section>`;
}
