// Puts new figures into a page that shows free spaces while somebody looks at it, and finds the nearest area.
import { tellHeight } from './frame-height.ts';
import { type Place, sortByDistance } from './near.ts';

const EVERY_MS = 60_000;
const MAX_MS = 600_000;
/** What a refresh replaces. */
const REFRESHED = ['asof', 'live'];

let failures = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
/** What the page had before a script changed it. */
let last = document.getElementById('live')?.innerHTML;
/** Where the reader is, once the nearest areas are wanted. */
let here: Place | null = null;

tellHeight();
offerNear(document.getElementById('near'));
if (last !== undefined) {
  plan();
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) clearTimeout(timer);
    else void refresh();
  });
  addEventListener('online', () => void refresh());
}

function plan(): void {
  clearTimeout(timer);
  // Readers whose service has failed do not all come back at once.
  const spread = failures === 0 ? 1 : 1 + Math.random() / 4;
  timer = setTimeout(refresh, Math.min(EVERY_MS * 2 ** failures, MAX_MS) * spread);
}

async function refresh(): Promise<void> {
  plan();
  const shown = document.getElementById('live');
  if (document.hidden || shown === null) return;
  try {
    const response = await fetch(location.pathname + location.search);
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    if (!response.ok || page.getElementById('live') === null) throw new Error('not this page');
    failures = 0;
    put(page, shown);
    say(page.getElementById('notice')?.textContent ?? '');
  } catch {
    failures += 1;
    // Nothing old looks new.
    shown.classList.add('stale');
    say(shown.dataset.offline ?? '');
  }
  plan();
}

/** The notice is the same element all along: a screen reader says what is new in it, and nothing else. */
function say(text: string): void {
  const notice = document.getElementById('notice');
  if (notice !== null && notice.textContent !== text) notice.textContent = text;
}

/** A reader who has come to a link by keyboard stays there. */
function put(page: Document, shown: HTMLElement): void {
  const fresh = page.getElementById('live')?.innerHTML;
  if (fresh === last && !shown.classList.contains('stale')) return;
  last = fresh;
  const focused = shown.contains(document.activeElement) && document.activeElement?.getAttribute('href');
  for (const id of REFRESHED) {
    const from = page.getElementById(id);
    const to = document.getElementById(id);
    if (from === null || to === null) continue;
    to.className = from.className;
    to.replaceChildren(...document.importNode(from, true).childNodes);
  }
  sort();
  if (focused)
    [...shown.querySelectorAll('a')].find((link) => link.getAttribute('href') === focused)?.focus();
}

function sort(): void {
  const list = document.querySelector('.areas');
  if (here !== null && list !== null) sortByDistance(list, here);
}

function offerNear(near: HTMLElement | null): void {
  if (near === null) return;
  near.hidden = !('geolocation' in navigator);
  near.addEventListener('click', () => {
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        near.setAttribute('aria-pressed', 'true');
        document.querySelector('.segments:last-child [aria-current]')?.removeAttribute('aria-current');
        if (here === null) {
          here = coords;
          sort();
        }
      },
      () => say(near.dataset.denied ?? ''),
    );
  });
}
