/** Returns the page with its script and style. URLs are relative, so that it works wherever the API runs. */
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
 * The script that starts Swagger UI. It is appended to the file of the library, because the page must not contain scripts. It
 * disables the online validator, and sends no cookies, because a call with a cookie and without a CSRF token counts as an
 * attack.
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
