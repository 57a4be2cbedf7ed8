// Names and texts come from people, and chats read commands in them. Backslashes and entities, by which one chat takes a
// text as it is, are shown by another one, so nothing is escaped here: what chats look for is taken apart or replaced.

/** Is seen by nobody, and ends what a program would read as one word. */
const ZERO_WIDTH = '\u200b';

/** Mentions, channels, emoji codes, addresses of pages and mails, places of templates (`{{`), and marks of a line's kind. */
const read = /[@#]|:(?=[^\s\d]|[\w+-]+:)|(?<=[\p{L}\p{N}])[.。．｡](?=[\p{L}\p{N}])|\{(?=\{)|^(?=[-+=\s]|\d+[.)])/gu;

/** Takes mentions and links of a text apart, for what shows texts without markup. It looks as before. */
export const withoutLinks = (text: string): string => text.replaceAll(read, (found) => `${found}${ZERO_WIDTH}`);

/** Marks of Slack's mrkdwn, of Markdown and of formulas, with characters that look like them and mean nothing. */
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

/** Gives a text that Slack, Mattermost and Rocket.Chat show as it is, and in which none of them finds a command. */
export const withoutMarkup = (text: string): string =>
  withoutLinks(text.replaceAll(/[&<>[\]|\\*_~`$]/g, (mark) => lookalikes[mark] ?? ''));
