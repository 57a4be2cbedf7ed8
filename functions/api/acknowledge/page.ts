import { hashOf } from '#shared/auth/tokens.ts';
import { dateAndTime } from '#shared/domain/time/wall-time.ts';
import type { HitItem } from '#shared/store/hits/hit-item.ts';
import type { Texts } from './texts.ts';

const style =
  'body{margin:0 auto;max-width:28rem;padding:2rem 1rem;font:1.25rem/1.5 system-ui,sans-serif;color-scheme:light dark}' +
  'label{display:block}input,button{box-sizing:border-box;width:100%;padding:1rem;margin:.5rem 0 1rem;font:inherit}' +
  'button{font-weight:700}';

const source = Buffer.from(hashOf(style), 'base64url').toString('base64');
/** The page has no script, no frame shows it, and no other site learns its address. Its form goes to this service alone. */
export const headers = {
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src 'sha256-${source}'`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
};

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (char) => entities[char] ?? char);
const timeOf = (time: number): string => dateAndTime(time, 'UTC');

/** A user is known, and need not say a name. */
const formOf = (address: string, isOfUser: boolean, texts: Texts): string => {
  const name = `<label>${texts.name}<input name="name" maxlength="64" autocomplete="name"></label>`;
  return `<form method="post" action="${address}/page">${isOfUser ? '' : name}<button>${texts.go}</button></form>`;
};

/** The page of a hit: who takes care of it, or a form to do so. The address is one that was checked. */
export const pageOf = (
  hit: HitItem,
  situation: string,
  { address, isOfUser }: { address: string; isOfUser: boolean },
  texts: Texts,
): Uint8Array => {
  const { acknowledgement: by, createDate } = hit;
  const status = by && `<p role="status">${escaped(texts.goes(by.name, timeOf(by.date)))}</p>`;
  return Buffer.from(`<!doctype html>
<html lang="${texts.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escaped(situation)}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
<h1>${escaped(situation)}</h1>
<p>${timeOf(createDate)}</p>
${status ?? formOf(address, isOfUser, texts)}
</main>
</body>
</html>
`);
};
