// The reference, from the description of this very service. Nothing is loaded from anywhere else.

/** Each operation's samples, above its answers. */
const samples = (Responses, { React: { createElement, Fragment } }) =>
  function WithSamples(props) {
    const place = ['paths', props.path, props.method, 'x-codeSamples'];
    const found = props.specSelectors.specJson().getIn(place)?.toJS() ?? [];
    const shown = found.map(({ label, source }, index) =>
      createElement(
        'details',
        { key: label, className: 'sample', open: index === 0 },
        createElement('summary', null, label),
        createElement('pre', { tabIndex: 0 }, source),
      ),
    );
    const title = createElement('h4', { className: 'opblock-title' }, 'Samples');
    return createElement(
      Fragment,
      null,
      createElement('section', { className: 'samples' }, title, ...shown),
      createElement(Responses, props),
    );
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
      example.value = JSON.parse(JSON.stringify(example.value), (name, value) => {
        if (!ASKED.includes(name)) return value;
        for (const sample of operation['x-codeSamples']) sample.source = sample.source.replaceAll(value, now);
        return now;
      });
    }
  }
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
  responseInterceptor: (response) =>
    response.url.endsWith('/api/v2/openapi.json') && response.ok
      ? { ...response, text: askingNow(response.text) }
      : response,
  plugins: [{ wrapComponents: { responses: samples, DeepLink: noLink } }],
});

/** What Swagger UI leaves without a name, or names where a name may not be: a screen reader would stumble over it. */
const ATTRIBUTES = [
  ['#servers', { 'aria-label': 'Server' }],
  ['.information-container', { role: 'region', 'aria-label': 'About' }],
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
