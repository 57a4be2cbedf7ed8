/** The page, made with these files; its addresses are relative, so that it works wherever the API is. */
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
 * What starts the library, at the end of its own file: the page may run no script of its own. Nothing is sent to the
 * library's validator, nor are cookies: a call beside a Bearer token that carries some is taken for an attack.
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
