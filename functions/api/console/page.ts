import { logoUrl } from './logo.ts';

/** The maximum depth of a page below `/console`. */
export const MAX_DEPTH = 7;

/** Returns the relative path from a page to the folder with the files, so the console works at any API URL. */
export const folderFrom = (depth: number): string => {
  if (depth === 0) return 'console/';
  return depth === 1 ? './' : '../'.repeat(depth - 1);
};

/** Returns the number of slashes after `/console` in a request path. */
export const depthOf = (path: string): number => path.replace(/^.*?\/api\/v1\/console/, '').split('/').length - 1;

/**
 * Returns the page HTML, with script and style loaded from a folder. The script replaces the static content. The style
 * hides this content for a few seconds, so people see it only if the script or the style fails to load.
 */
export const pageOf = (folder: string, script: string, style: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Sensor Cloud</title>
<link rel="icon" href="${logoUrl}">
<link rel="apple-touch-icon" href="${folder}apple-touch-icon.png">
<link rel="manifest" href="${folder}app.webmanifest">
<link rel="stylesheet" href="${folder}${style}">
<script type="module" src="${folder}${script}"></script>
</head>
<body>
<div id="root">
<main class="not-loaded">
<p>The console could not be loaded. <a href="">Try again</a></p>
<p lang="de">Die Konsole konnte nicht geladen werden. <a href="">Erneut versuchen</a></p>
</main>
</div>
<noscript>This page requires JavaScript. All its data is also available through the API.</noscript>
</body>
</html>
`;
