// Names and texts come from people, and chats interpret commands in them. The escapes of one chat show up as text in
// another, so nothing is escaped here: whatever chats interpret is split up or replaced.

/** An invisible character that splits a word for programs. */
const ZERO_WIDTH = '\u200b';

/** Matches mentions, channels, emoji codes, web and mail addresses, template placeholders (`{{`), and list or heading marks. */
const commands = /[@#]|:(?=[^\s\d]|[\w+-]+:)|(?<=[\p{L}\p{N}])[.。．｡](?=[\p{L}\p{N}])|\{(?=\{)|^(?=[-+=\s]|\d+[.)])/gu;

/** Splits the mentions and links in a text, for clients that show texts without markup. It looks the same as before. */
export const withoutLinks = (text: string): string => text.replaceAll(commands, (found) => `${found}${ZERO_WIDTH}`);

/** The markup of Slack's mrkdwn, Markdown and formulas, with similar characters that have no meaning. */
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

/** Returns a text that Slack, Mattermost and Rocket.Chat show literally, and in which none of them finds a command. */
export const withoutMarkup = (text: string): string =>
  withoutLinks(text.replaceAll(/[&<>[\]|\\*_~`$]/g, (mark) => lookalikes[mark] ?? ''));
