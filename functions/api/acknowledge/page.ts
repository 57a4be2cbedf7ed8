import { hashSecret } from '#shared/auth/tokens.ts';
import { dateAndTime } from '#shared/domain/time/wall-time.ts';
import type { HitItem } from '#shared/store/hits/hit-item.ts';
import type { Texts } from './texts.ts';

const style =
  'body{margin:0 auto;max-width:28rem;padding:2rem 1rem;font:1.25rem/1.5 system-ui,sans-serif;color-scheme:light dark}' +
  'label{display:block}input,button{box-sizing:border-box;width:100%;padding:1rem;margin:.5rem 0 1rem;font:inherit}' +
  'button{font-weight:700}';

const styleHash = Buffer.from(hashSecret(style), 'base64url').toString('base64');
/**
 * Allows no scripts and no framing, keeps the address from other sites and search engines, and lets the form be sent to
 * this service only.
 */
export const headers = {
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
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

/** The form. It does not ask users for their name, because it is known. */
const formOf = (address: string, isOfUser: boolean, texts: Texts): string => {
  const name = `<label>${texts.name}<input name="name" maxlength="64" autocomplete="name"></label>`;
  return `<form method="post" action="${address}/page">${isOfUser ? '' : name}<button>${texts.acknowledge}</button></form>`;
};

/**
 * Renders the page of a rule hit, with its acknowledgement, or with a form to acknowledge it. The address must have been
 * checked before, because it is not escaped.
 */
export const pageOf = (
  hit: HitItem,
  situation: string,
  { address, isOfUser }: { address: string; isOfUser: boolean },
  texts: Texts,
): Uint8Array => {
  const { acknowledgement, createDate } = hit;
  const status =
    acknowledgement &&
    `<p role="status">${escaped(texts.acknowledged(acknowledgement.name, timeOf(acknowledgement.date)))}</p>`;
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
