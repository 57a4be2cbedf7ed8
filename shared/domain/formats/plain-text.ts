/**
 * Functions that make text typed by people safe for readers. Programs turn some text into links automatically, and
 * each channel has a different markup. Names (sensors, regions, customers, users and webhooks) must have no effect,
 * but an address in a rule's own title or message must remain a link.
 *
 * | channel | names | rule title and message |
 * | --- | --- | --- |
 * | email, push, Telegram | sent as text without markup; `asText` splits what would become a link | unchanged |
 * | SMS | the same, but split by a space, because GSM 03.38 lacks the splitter (people/sms-text.ts) | unchanged |
 * | Slack, Mattermost, Rocket.Chat | `withoutMarkup` | `wordsForChat`: the same, except web addresses |
 * | Teams | `withoutLinks`, in runs without markup | the same, except web addresses, which become runs with an action |
 * | Full, Custom 1 | unchanged, because programs read them | unchanged |
 *
 * Names in the title and message are split when they replace a placeholder (delivery/snapshot.ts). Later, they could
 * not be distinguished from the rule's own words. Escape sequences do not work, because one program's sequences show up as
 * text in another.
 */

/**
 * An invisible character that programs treat as a word break. It is not a zero-width joiner, which Telegram accepts in
 * addresses.
 */
export const ZERO_WIDTH = '\u200b';

const split = (found: string): string => `${found}${ZERO_WIDTH}`;

/**
 * Matches the characters after which web and email addresses, IP addresses, mentions, tags and commands in a name are
 * split.
 */
const linkable =
  /(?<=\p{L}[\p{L}\w+.-]*):(?=\S)|:(?=\/\/)|[.。．｡](?=[\p{L}\p{Cf}])|(?<=\d)\.(?=\d{1,3}\.\d)|@(?=[\p{L}\p{N}_])|[#$](?=[\p{N}_]*\p{L})|(?<![\p{L}\p{N}/])\/(?=[\p{L}\p{N}_])/gu;

/** Returns a name that looks the same but contains nothing a program would turn into a link. */
export const asText = (name: string): string => name.replaceAll(linkable, split);

/**
 * Matches a web address in a rule's own words. The match may extend into the sentence, because programs may treat the
 * characters that follow as part of the link too.
 */
const WEB_ADDRESS = String.raw`https?:\/\/[^\s<>"|\\{}[\]\u0060\u200b]+`;
const webAddress = new RegExp(`(${WEB_ADDRESS})`, 'giu');

/**
 * Matches mentions, channels, emoji codes, web and email addresses, template placeholders (`{{`), and list or heading
 * marks.
 */
const COMMAND = String.raw`[@#](?!\u200b)|:(?=[^\s\d\u200b]|[\w+-]+:)|(?<=[\p{L}\p{N}])[.。．｡](?=[\p{L}\p{N}])|\{(?=\{)|^(?=[-+=\s]|\d+[.)])`;
const command = new RegExp(COMMAND, 'gu');
const addressOrCommand = new RegExp(`${WEB_ADDRESS}|${COMMAND}`, 'giu');

/** Splits mentions and links in text, for clients that show it without markup. The text still looks the same. */
export const withoutLinks = (text: string): string => text.replaceAll(command, split);

/** Maps mrkdwn (Slack), Markdown and formula markup to lookalike characters with no special meaning. */
const lookalikes: Readonly<Record<string, string>> = {
  '&': '＆',
  '<': '‹',
  '>': '›',
  '[': '［',
  ']': '］',
  '|': '∣',
  '\\': '＼',
  '*': '∗',
  _: 'ˍ',
  '~': '∼',
  '`': 'ˋ',
  $: '＄',
};
const MARK = String.raw`[&<>[\]|\\*_~\u0060$]`;
const mark = new RegExp(MARK, 'gu');
const addressOrMark = new RegExp(`${WEB_ADDRESS}|${MARK}`, 'giu');

/** Returns text that Slack, Mattermost and Rocket.Chat show literally and never read as a command. */
export const withoutMarkup = (text: string): string =>
  withoutLinks(text.replaceAll(mark, (found) => lookalikes[found] ?? ''));

/**
 * Returns text in which only web addresses are links. An `@` in an address is percent-encoded, because Mattermost would
 * show it as a mention.
 */
export const wordsForChat = (text: string): string =>
  text
    .replaceAll(addressOrMark, (found) => lookalikes[found] ?? found)
    .replaceAll(addressOrCommand, (found) => (/^http/i.test(found) ? found.replaceAll('@', '%40') : split(found)));

/** Splits a rule's own words into web addresses and the text between them. */
export const partsOf = (text: string): { text: string; url?: string }[] =>
  text
    .split(webAddress)
    .map((part, at) => (at % 2 === 1 ? { text: part, url: part } : { text: part }))
    .filter((part) => part.text !== '');
