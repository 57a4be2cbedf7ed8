import { hashSecret } from '#shared/auth/tokens.ts';
import type { Situation } from '#shared/domain/event/event.ts';
import type { AlarmView, Notified } from './alarm-view.ts';
import { roomNameOf } from './room-name.ts';
import { style } from './style.ts';
import type { Texts } from './texts.ts';
import { timesIn } from './times.ts';

const styleHash = Buffer.from(hashSecret(style), 'base64url').toString('base64');
/**
 * Blocks scripts and framing, hides the page address from other sites and search engines, and restricts form
 * submissions to this service.
 */
export const headers = {
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    // Allows the empty icon, which keeps browsers from requesting one.
    'img-src data:',
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
};

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (char) => entities[char] ?? char);

/** Situations in which a person is on the floor. They share a one-word heading. */
const falls: ReadonlySet<Situation> = new Set<Situation>(['fall_detected', 'fall_detected_sensitive']);

/** Situations that someone should check on. In all others, a person needs help. */
const toCheck: ReadonlySet<Situation> = new Set<Situation>([
  'fall_suspected',
  'fall_suspected_sensitive',
  'fall_loop',
  'sensor_inactive',
  'sensor_active',
  'sensor_weak_signal',
  'sensor_tilted',
  'sensor_clock_wrong',
]);

const going =
  '<svg width="28" height="28" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.8" ' +
  'stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><circle cx="13.2" cy="4.2" r="1.9"/>' +
  '<path d="M12.6 8.2 10.4 13l3.4 3 .8 5M10.6 15.4 9 18l-3.4 2.6M12.6 8.2 8.6 9.6 7.4 12.6M13 9.4l2 2.6 3.2.6"/></svg>';
const sign =
  '<svg width="28" height="28" viewBox="0 0 28 28" aria-hidden="true"><rect width="28" height="28" rx="6" ' +
  'fill="var(--ink)"/><g fill="none" stroke="var(--on-ink)" stroke-width="2.2" stroke-linecap="round">' +
  '<path d="M7.5 12a9 9 0 0 1 13 0M10.4 15.6a5 5 0 0 1 7.2 0"/></g><circle cx="14" cy="19.8" r="1.8" ' +
  'fill="var(--on-ink)"/></svg>';

/**
 * A link to the page. `up` is the relative path from the page to the folder with the link. The address needs no
 * escaping.
 */
export type PageLink = { address: string; up: '' | '../' | '../../'; isPersonal: boolean; wasHandedBack: boolean };

type Page = { view: AlarmView; link: PageLink; texts: Texts; times: ReturnType<typeof timesIn> };

const formTo = (action: string, content: string): string => `<form method="post" action="${action}">${content}</form>`;

const roomOf = ({ sensor }: AlarmView): string => {
  if (!sensor) return '';
  const { word, number, rest } = roomNameOf(sensor.name);
  const name = number === '' ? `<b>${escaped(rest)}</b>` : `<b class="number">${escaped(number)}</b>`;
  return `<p class="room">${word && `<small>${escaped(word)}</small>`}${name}</p>`;
};

/** A long name needs the full width. */
const sizeOf = ({ sensor }: AlarmView): string => (sensor && roomNameOf(sensor.name).number === '' ? ' long' : '');

/**
 * Returns the place in the room: the region, and the rest of the name if it has a number. Empty if neither is known.
 */
const placeOf = ({ sensor, regionName }: AlarmView): string => {
  const { number, rest } = roomNameOf(sensor?.name ?? '');
  return [number === '' ? '' : rest, regionName].filter(Boolean).join(', ');
};

const timeOf = ({ view, times }: Page): string => {
  const local = times.local(view.time);
  const isDated = local.length > 'HH:MM'.length;
  const ago = [times.ago(view.time), times.zone].map(escaped).join('<br>');
  return `<p class="time"><b${isDated ? ' class="dated"' : ''}>${escaped(local)}</b>${ago}</p>`;
};

const paragraphs = (lines: readonly string[], attributes = ''): string =>
  lines
    .filter(Boolean)
    .map((line) => `<p${attributes}>${escaped(line)}</p>`)
    .join('');

const openCall = (page: Page, situation: string): string => {
  const { view, link, texts } = page;
  const { address, up, isPersonal } = link;
  // Users are not asked for their name, because it is already known.
  const name = `<label>${texts.name}<input name="name" maxlength="64" autocomplete="name"></label>`;
  const form = formTo(`${up}${address}/page`, `${isPersonal ? '' : name}<button>${texts.acknowledge}</button>`);
  return `<section class="call ${toCheck.has(view.situation) ? 'check' : 'open'}${sizeOf(view)}">${roomOf(view)}${timeOf(page)}
<div class="what"><h1>${escaped(`${falls.has(view.situation) ? texts.fall : situation}. ${texts.nobody}.`)}</h1>${paragraphs([placeOf(view)])}</div>
${form}</section>`;
};

type TakenStatus = Exclude<AlarmView['status'], { kind: 'open' }>;
const takenCall = (page: Page, situation: string, { kind, name, since }: TakenStatus): string => {
  const { view, link, texts, times } = page;
  const isMine = kind === 'mine';
  // Only users see colleagues' names.
  const heading = isMine ? texts.mine : texts.theirs(link.isPersonal ? name : '');
  const lines = [
    `${texts.since(times.local(since))}. ${texts.noFurtherStep}`,
    [situation, placeOf(view)].filter(Boolean).join(': '),
  ];
  return `<section class="call taken${sizeOf(view)}">${roomOf(view)}${timeOf(page)}
<div class="what"><h1>${going}${escaped(heading)}</h1>${paragraphs(lines)}</div></section>`;
};

/** Returns the form that withdraws the reader's own acknowledgement. */
const handBackForm = ({ view: { status }, link: { address, up }, texts }: Page): string =>
  status.kind === 'mine'
    ? formTo(
        `${up}${address}/withdrawal/${status.since}`,
        `<button>${texts.handBack}</button>${paragraphs([texts.handBackHint], ' class="soft"')}`,
      )
    : '';

/**
 * Returns who else has been notified (`Nora, Jonas (03:08); Amira (03:11)`), or just the number of people if names must
 * stay hidden.
 */
const whoOf = (others: readonly Notified[], { link, texts, times }: Page): string => {
  if (!link.isPersonal) return texts.recipients(others.length);
  const namesAt = Map.groupBy(others, ({ time }) => times.local(time));
  return [...namesAt].map(([time, all]) => `${all.map(({ name }) => name).join(', ')} (${time})`).join('; ');
};

const moreOf = (page: Page): string[] => {
  const { view, link, texts, times } = page;
  const { others, nextStep, status } = view;
  return [
    link.wasHandedBack && status.kind === 'open' ? texts.handedBack : '',
    others.length === 0 ? texts.nobodyElse : texts.alsoNotified(whoOf(others, page)),
    nextStep !== null && status.kind === 'open' ? texts.nextStep(times.local(nextStep)) : '',
  ];
};

const consoleLink = ({ view: { sensor }, link: { up, isPersonal }, texts }: Page): string =>
  sensor && isPersonal
    ? `<p><a href="${up}../console/sensors/${encodeURIComponent(sensor.id)}">${texts.inConsole}</a></p>`
    : '';

/** Renders an alarm page, with either a form to acknowledge the alarm or the existing acknowledgement. */
export const pageOf = (
  view: AlarmView,
  situation: string,
  link: PageLink,
  { texts, now }: { texts: Texts; now: number },
): Uint8Array => {
  const page: Page = { view, link, texts, times: timesIn(view.timeZone, now, texts) };
  const { status } = view;
  const call = status.kind === 'open' ? openCall(page, situation) : takenCall(page, situation, status);
  const title = [view.sensor?.name, situation].filter((part) => part !== undefined).join(': ');
  return Buffer.from(`<!doctype html>
<html lang="${texts.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
<p class="home">${sign}${escaped(view.customerName)}</p>
${call}
${paragraphs(moreOf(page), ' class="soft"')}
${handBackForm(page)}
<p class="soft">${texts.noRefresh} <a href="${link.up}${link.address}">${texts.checkAgain}</a></p>
${consoleLink(page)}
</main>
</body>
</html>
`);
};
