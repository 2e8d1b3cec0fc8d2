// The public municipalities, each with its widget, and how to embed one. Nothing is loaded from anywhere else.
const LIST = '/api/v2/public/municipalities';

/** A list that could not be loaded is asked for again, less often each time. */
const FIRST_RETRY_MS = 5_000;
const LAST_RETRY_MS = 300_000;

/** @param {string} id */
const part = (id) => document.getElementById(id);
const message = part('message');

void show(FIRST_RETRY_MS);

/** @param {number} retryMs */
async function show(retryMs) {
  message.textContent ||= message.dataset.loading;
  try {
    const municipalities = await load();
    message.textContent = municipalities.length === 0 ? message.dataset.none : '';
    part('cities').append(...municipalities.map(widget));
    if (municipalities.length > 0) offerSnippet(municipalities);
  } catch (error) {
    console.warn(error);
    message.textContent = message.dataset.failing;
    setTimeout(() => show(Math.min(retryMs * 2, LAST_RETRY_MS)), retryMs);
  }
}

async function load() {
  const response = await fetch(LIST, { credentials: 'omit' });
  const { municipalities } = await response.json();
  if (!response.ok || !Array.isArray(municipalities)) throw new Error(`${LIST} answered ${response.status}`);
  return municipalities;
}

function widget({ code }) {
  const element = document.createElement('parking-occupancy');
  element.setAttribute('base', location.origin);
  element.setAttribute('municipality', code);
  return element;
}

function offerSnippet(municipalities) {
  part('municipality').append(...municipalities.map(({ code, name }) => new Option(shown(name), code)));
  for (const id of ['municipality', 'area-type', 'language']) {
    part(id).addEventListener('change', writeSnippet);
  }
  part('copy').addEventListener('click', copy);
  writeSnippet();
  part('embed').hidden = false;
}

/**
 * A name that steers nothing: characters that turn the direction of text stand there as their number.
 *
 * @param {string} name
 */
const shown = (name) => name.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, numberOf);
const numberOf = (character) => `<U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}>`;

function writeSnippet() {
  const areaType = part('area-type').value;
  const attributes = [
    ['base', location.origin],
    ['municipality', part('municipality').value],
    ...(areaType === '' ? [] : [['area-type', areaType]]),
    ['lang', part('language').value],
  ].map(([name, value]) => `${name}="${escaped(value)}"`);
  part('snippet').value =
    `<script type="module" src="${location.origin}/widget/v1.js"></script>\n` +
    `<parking-occupancy ${attributes.join(' ')}></parking-occupancy>`;
  part('copied').textContent = '';
}

/** @param {string} value of an attribute */
const escaped = (value) => value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

async function copy() {
  const { done, failed } = part('copied').dataset;
  try {
    await navigator.clipboard.writeText(part('snippet').value);
    part('copied').textContent = done;
  } catch {
    part('snippet').select();
    part('copied').textContent = failed;
  }
}
