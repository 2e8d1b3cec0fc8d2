import { html } from 'hono/html';
import { fold } from '../../base/text/text.ts';
import { type PublicMunicipality, qualityOf } from '../../core/snapshots/public-directory.ts';
import type { Snapshot } from '../../core/snapshots/snapshot.ts';
import { readSnapshot } from '../../core/snapshots/snapshot-store.ts';
import { capacityTotals } from '../../domain/capacity.ts';
import { NO_VEHICLES } from '../../domain/occupancy.ts';
import { lastSuccess, publicView } from '../../domain/public-status.ts';
import type { Call } from '../../serving/call.ts';
import { freeSpaces, statusOf, viewsOf } from './areas.ts';
import { type Asked, elsewhere, type Html, nameOf, paged, pageOf, searchForm, timesOf } from './page.ts';

/** Each city on the page costs a read of its snapshot. */
const CITIES_PER_PAGE = 24;

/** The page of all cities that publish their free spaces, or of those whose name the reader searches. */
export async function citiesPage(
  c: Call,
  asked: Asked,
  cities: readonly PublicMunicipality[],
): Promise<string> {
  const { query, texts } = asked;
  const collator = new Intl.Collator(texts.locale, { numeric: true, sensitivity: 'base' });
  const wanted = fold(query.q ?? '');
  const found = cities
    .filter(({ name }) => fold(name).includes(wanted))
    .sort((a, b) => collator.compare(a.name, b.name) || (a.code < b.code ? -1 : 1));
  const { items, pager } = paged(asked, found, CITIES_PER_PAGE);
  const cards = await Promise.all(items.map((city) => cityCard(c, asked, city)));
  const search = searchForm(asked, cities.length, texts.searchCity);
  const nothing = query.q === undefined ? texts.noCities : texts.nothingFound(query.q);
  return pageOf(asked, {
    ...{ title: texts.title, script: 'live' },
    body: html`<main>
<h1>${texts.title}</h1>
<p class="said"><span id="notice" role="status"></span><span class="note">${texts.intro}</span></p>
${search && html`<div class="controls">${search}</div>`}
<div id="live" data-offline="${texts.offline}">
${cards.length === 0 ? html`<p>${nothing}</p>` : html`<ul class="cards">${cards}</ul>`}
</div>
${pager}
</main>`,
  });
}

/** A city as a link, with its free spaces if it has a recent snapshot. */
async function cityCard(c: Call, asked: Asked, { code, name }: PublicMunicipality): Promise<Html> {
  const { texts } = asked;
  const link = html`<h2><a href="${elsewhere(asked, `/cities/${encodeURIComponent(code)}`)}">${nameOf(name)}</a></h2>`;
  const snapshot = await readSnapshot(c, code);
  if (snapshot === null) return html`<li class="card">${link}</li>`;
  const { at, sources, municipality } = snapshot;
  const quality = qualityOf(snapshot, c.get('now'));
  const { capacity, free, status } = asOneArea(snapshot, quality);
  const { short } = timesOf(asked, at, municipality.timeZone);
  const known =
    quality === 'good' ? texts.asOf(short(at)) : texts.lastKnown(short(lastSuccess(sources) ?? at));
  return html`<li class="card ${quality} ${status}">
${link}
${free !== undefined && html`<p class="free">${freeSpaces(free, capacity, asked)}</p>`}
${statusOf(status, texts.statuses[status])}
<p class="note">${known}</p>
</li>
`;
}

/** All areas that have figures, judged by the rules of one. */
function asOneArea(snapshot: Snapshot, quality: ReturnType<typeof qualityOf>) {
  const shown = viewsOf(snapshot, quality).filter(({ figures }) => figures !== null);
  const { spacesCount: capacity, availableNow } = capacityTotals(shown);
  const activeNow = capacity - availableNow;
  const { figures, status } = publicView(
    {
      capacity: shown.length === 0 ? null : capacity,
      counters: { ...NO_VEHICLES, activeNow },
      closedUntil: null,
    },
    snapshot.at,
    quality,
  );
  return { capacity, free: figures?.availableNow, status };
}
