import { EXAMPLE_TIME } from '#shared/domain/makers/message-fields.ts';

/** Returns the page with its script and style. URLs are relative, so that the page works wherever the API runs. */
export const pageOf = (script: string, style: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/${style}">
</head>
<body>
<main id="api"></main>
<noscript>This page requires JavaScript. <a href="openapi.json">openapi.json</a> has the same content.</noscript>
<script src="docs/${script}"></script>
</body>
</html>
`;

/**
 * The script that starts Swagger UI, appended to the library file because the page must not contain scripts. The online
 * validator is disabled. Cookies are not sent, because a request with a cookie but no CSRF token counts as an attack.
 * The filter matches operations by any of their words. The built-in filter only matches tags. Webhooks are components,
 * which the library does not list. Message examples are shifted to the current time, because a device with a wrong
 * clock would be reported.
 */
export const start = `
const isFound = (phrase) => (operation) => {
  const { path = '', method = '', operation: { operationId, summary, description } = {} } = operation.toJS();
  const text = [method, path, operationId, summary, description].join(' ').toLowerCase();
  return phrase.toLowerCase().split(' ').every((word) => text.includes(word));
};
const opsFilter = (tags, phrase) =>
  tags
    .map((tag) => tag.update('operations', (operations) => operations.filter(isFound(phrase))))
    .filter((tag) => tag.get('operations').size > 0);
const search = ({ React }) => ({ layoutSelectors, layoutActions }) => {
  const phrase = layoutSelectors.currentFilter();
  const label = 'Find operations by words of their path, name or description';
  const field = React.createElement('input', {
    type: 'search',
    className: 'operation-filter-input',
    placeholder: label,
    'aria-label': label,
    value: typeof phrase === 'string' ? phrase : '',
    onChange: ({ target }) => layoutActions.updateFilter(target.value),
  });
  return React.createElement('div', { className: 'filter wrapper', role: 'search' }, field);
};
const madeCurrent = (age) => (name, value) =>
  value >= ${EXAMPLE_TIME} && value < ${EXAMPLE_TIME} + 3600000 ? value + age : value;
const prepare = (response) => {
  if (!response.url.endsWith('/openapi.json') || !response.ok) return response;
  const api = JSON.parse(response.text);
  const now = Date.parse(response.headers.date) || ${EXAMPLE_TIME};
  const { content } = api.paths['/devices/{sensorId}/messages'].post.requestBody;
  const examples = JSON.stringify(content['application/json'].examples);
  content['application/json'].examples = JSON.parse(examples, madeCurrent(now - ${EXAMPLE_TIME}));
  for (const [name, { $ref }] of Object.entries(api.webhooks))
    api.webhooks[name] = api.components.pathItems[$ref.split('/').at(-1)];
  return Object.assign(response, { text: JSON.stringify(api) });
};
SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#api',
  deepLinking: true,
  filter: true,
  validatorUrl: null,
  plugins: [(system) => ({ fn: { opsFilter }, components: { FilterContainer: search(system) } })],
  requestInterceptor: (request) => Object.assign(request, { credentials: 'omit' }),
  responseInterceptor: prepare,
});
`;
