/** Makes the page from these files. Its URLs are relative, so that it works wherever the API runs. */
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
<noscript>This page needs its script; <a href="openapi.json">openapi.json</a> has all that it shows.</noscript>
<script src="docs/${script}"></script>
</body>
</html>
`;

/**
 * The script that starts the library. It is appended to the library's file, because the page may contain no scripts. It
 * sends nothing to the library's online validator, and it sends no cookies, because a call with a cookie and without a
 * CSRF token counts as an attack.
 */
export const start = `
SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#api',
  deepLinking: true,
  validatorUrl: null,
  requestInterceptor: (request) => Object.assign(request, { credentials: 'omit' }),
});
`;
