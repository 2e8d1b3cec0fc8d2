// The reference, from the description of this very service. Nothing is loaded from anywhere else.

/** What the page says around the description, which is in English alone. */
const ITALIAN = {
  home: 'Tutti i comuni',
  rules: 'Regole',
  versions: 'Versioni',
  title: 'Operazioni',
  search: 'Cerca',
};
const NOTHING = { en: 'No operation has this.', it: 'Nessuna operazione lo contiene.' };

/** The language that the address names, else the browser's. Answers that are tried out come in it, too. */
const asked = new URLSearchParams(location.search).get('lang') ?? navigator.language;
const language = asked.startsWith('it') ? 'it' : 'en';
if (language === 'it') {
  for (const element of document.querySelectorAll('[data-text]')) {
    element.textContent = ITALIAN[element.dataset.text];
    element.lang = 'it';
  }
}
document.querySelector(`a[href$='lang=${language}']`).setAttribute('aria-current', 'true');
document.querySelector('#nothing').lang = language;

/** Swagger UI has dark colours of its own. */
const dark = matchMedia('(prefers-color-scheme: dark)');
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', paint);
paint();

/** The operations as links, by tag. Each opens its operation, also in the address. */
function showContents({ tags, paths }) {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(
      ([
        method,
        {
          tags: [tag],
          operationId,
          summary,
        },
      ]) => ({
        ...{ tag, operationId, summary, method },
        text: `${method} ${path} ${summary} ${operationId}`.toLowerCase(),
      }),
    ),
  );
  const rows = [];
  const groups = tags.map(({ name }) => {
    const group = made('li', made('span', name), made('ul'));
    group.firstChild.className = 'tag';
    for (const { tag, operationId, summary, method, text } of operations) {
      if (tag !== name) continue;
      const link = made('a', made('b', method.toUpperCase()), ` ${summary}`);
      link.href = `#/${tag.replaceAll(' ', '_')}/${operationId}`;
      link.addEventListener('click', () => openOperation(tag, operationId));
      const row = made('li', link);
      group.lastChild.append(row);
      rows.push({ row, group, text });
    }
    return group;
  });
  document.querySelector('#links').replaceChildren(...groups);
  const search = document.querySelector('#search');
  search.addEventListener('input', () => {
    const wanted = search.value.trim().toLowerCase();
    const found = rows.filter(({ row, text }) => {
      row.hidden = !text.includes(wanted);
      return !row.hidden;
    });
    for (const group of groups) group.hidden = !found.some((one) => one.group === group);
    document.querySelector('#nothing').textContent = found.length === 0 ? NOTHING[language] : '';
  });
}

function made(tag, ...children) {
  const element = document.createElement(tag);
  element.append(...children);
  return element;
}

function openOperation(tag, operationId) {
  window.ui.layoutActions.show(['operations-tag', tag], true);
  window.ui.layoutActions.show(['operations', tag, operationId], true);
  // Once it is drawn.
  setTimeout(() => {
    const block = document.getElementById(`operations-${tag.replaceAll(' ', '_')}-${operationId}`);
    block?.scrollIntoView();
    block?.querySelector('.opblock-summary-control').focus({ preventScroll: true });
  }, 100);
}

/** The title is in the page's own head. */
const nothing = () => () => null;

/** The prose of the description, at the end: who opens the page looks for an operation. */
const withGuide = (Models, { React: { createElement, Fragment } }) =>
  function WithGuide(props) {
    const source = props.specSelectors.info().get('description');
    const Markdown = props.getComponent('Markdown', true);
    const guide = createElement(
      'section',
      { className: 'guide info', 'aria-label': 'Guide' },
      createElement(Markdown, { source }),
    );
    return createElement(Fragment, null, createElement(Models, props), guide);
  };

/** An operation's path stands in a button, where a link may not. */
const noLink = (DeepLink, { React: { createElement } }) =>
  function WithoutLink(props) {
    return props.path.includes('/')
      ? createElement('span', null, props.text)
      : createElement(DeepLink, props);
  };

/** What examples ask about, or report. At the instants that are written there, a service of today knew nothing. */
const ASKED = ['at', 'checked_at', 'seen_at', 'collected_at', 'reversed_at'];

/** The description, with examples of calls that ask about the instant at which the page was opened. */
function askingNow(text) {
  const now = new Date().toISOString();
  const description = JSON.parse(text);
  for (const operation of Object.values(description.paths).flatMap((path) => Object.values(path))) {
    const contents = Object.values(operation.requestBody?.content ?? {});
    for (const example of contents.flatMap(({ examples }) => Object.values(examples ?? {}))) {
      example.value = JSON.parse(JSON.stringify(example.value), (name, value) =>
        ASKED.includes(name) ? now : value,
      );
    }
  }
  showContents(description);
  return JSON.stringify(description);
}

window.ui = window.SwaggerUIBundle({
  url: '/api/v2/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  docExpansion: 'list',
  // Tokens are forgotten with the page.
  persistAuthorization: false,
  tryItOutEnabled: true,
  validatorUrl: null,
  syntaxHighlight: { theme: 'tomorrow-night' },
  requestInterceptor: (request) => {
    request.headers['Accept-Language'] = language;
    return request;
  },
  responseInterceptor: (response) =>
    response.url.endsWith('/api/v2/openapi.json') && response.ok
      ? { ...response, text: askingNow(response.text) }
      : response,
  plugins: [
    {
      wrapComponents: { DeepLink: noLink, InfoContainer: nothing, Models: withGuide },
    },
  ],
});

/** What Swagger UI leaves without a name, or names where a name may not be: a screen reader would stumble over it. */
const ATTRIBUTES = [
  ['#servers', { 'aria-label': 'Server' }],
  ['.schemes-server-container', { role: 'region', 'aria-label': 'Server and authorization' }],
  ['div.copy-to-clipboard', { 'aria-label': null }],
  ['.examples-select-element', { 'aria-label': 'Example' }],
  ['.body-param__text', { 'aria-label': 'Request body' }],
  ['pre.microlight', { tabindex: '0' }],
  // A table is none where it has another role.
  ['.responses-table', { role: null }],
  ['.modal-ux', { role: 'dialog', 'aria-modal': 'true', 'aria-label': 'Available authorizations' }],
  ['.close-modal', { 'aria-label': 'Close' }],
  ['.modal-btn', { 'aria-label': null }],
  // Two of them have the same id.
  ['.auth-container input', { id: null, 'aria-label': 'Value' }],
  ['.auth-container label', { for: null }],
];

function adjust() {
  for (const [selector, attributes] of ATTRIBUTES) {
    for (const element of document.querySelectorAll(selector)) {
      for (const [name, value] of Object.entries(attributes)) {
        if (value === null) element.removeAttribute(name);
        else element.setAttribute(name, value);
      }
    }
  }
}
new MutationObserver(adjust).observe(document.querySelector('#reference'), {
  childList: true,
  subtree: true,
});
