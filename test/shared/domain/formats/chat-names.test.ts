import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Snapshot } from '#shared/domain/delivery/delivery.ts';
import { ChatPayload } from '#shared/domain/formats/chat-payload.ts';
import { render } from '#shared/domain/formats/render.ts';
import { TeamsPayload } from '#shared/domain/formats/teams-payload.ts';
import {
  payloadContext as context,
  ruleForPeople as rule,
  snapshotForPeople as snapshot,
} from '#test/fixtures/snapshot.ts';

/** The strings that may contain a name: title, message and facts. */
const chatTexts = (of: Snapshot): string[] => {
  const { text, attachments } = ChatPayload.parse(JSON.parse(render('chat', of, context)));
  const [message] = attachments;
  if (!message || !('fields' in message)) throw new Error('the payload has no message');
  return [text, message.text, ...message.fields.slice(0, 3).map(({ value }) => value)];
};
const teamsTexts = (of: Snapshot): string[] =>
  TeamsPayload.parse(JSON.parse(render('teams', of, context))).attachments[0].content.body[0].items.flatMap(
    ({ inlines }) => inlines.map(({ text }) => text),
  );

/** Names that try to trigger a chat command. */
const tricks = [
  '<!channel>',
  '<!here|x>',
  '<@U024BE7LR>',
  '<https://evil.example|click>',
  '@all',
  '@channel',
  '@here',
  '@user.name',
  '<at>Name</at>',
  '{{DATE(2026-01-01T00:00:00Z,SHORT)}}',
  '$ENV',
  '#general',
  '~town-square',
  ':fire:',
  ':100:',
  ':1-:',
  '[click](https://evil.example)',
  '![x](http://evil.example/a.png)',
  'https://evil.example',
  'www.evil.example',
  'evil.example',
  'mailto:a@evil.example',
  'a@evil.example',
  '*b*',
  '**b**',
  '_i_',
  '__b__',
  '~~s~~',
  '`c`',
  '```c```',
  '# h',
  '> q',
  '- l',
  '+ l',
  '1. l',
  '1) l',
  '---',
  '    code',
  '| a | b |',
  '$x$',
  '\\(x\\)',
  '&lt;!channel&gt;',
  '<b>',
  'tel://49123',
  'evil。example',
  '\\@all',
  '==',
  '||x||',
];
const anyTricks = fc
  .array(
    fc.oneof(fc.constantFrom(...tricks), fc.constantFrom(' ', 'a', '1', '@', '.', ':', '<', '#', '\\', '{', '-')),
    {
      minLength: 1,
      maxLength: 8,
    },
  )
  .map((parts) => parts.join(''));
const withNames = (text: string): Snapshot => ({
  ...snapshot,
  event: { ...snapshot.event, text },
  sensor: { ...snapshot.sensor, name: text },
  customer: { id: 3, name: text, location: text },
  rule: { ...rule, title: text, message: text },
});
/** Everything Slack, Mattermost, Rocket.Chat and card templates interpret. */
const commands = [
  /[<>&]/,
  /@[\w.-]/,
  /#[\p{L}\p{N}_]|^#{1,6}\s/u,
  /:[a-z0-9_+-]+:(?!\d)/i,
  /\w:\/\//,
  /[\p{L}\p{N}][.。][\p{L}\p{N}]/u,
  /[*_~`[\]|\\$]/,
  /^\s*([-+=]|\d+[.)])(\s|[-=])/,
  /^ {4}/,
  /\{\{/,
];

describe('user-written names and texts', () => {
  test('chat does not interpret commands in names', () => {
    fc.assert(
      fc.property(anyTricks, (text) => {
        for (const part of chatTexts(withNames(text)))
          for (const command of commands) expect(part).not.toMatch(command);
      }),
    );
  });

  test('every test name contains a chat command before rendering', () => {
    for (const trick of tricks) expect([trick, commands.some((command) => command.test(trick))]).toEqual([trick, true]);
  });

  test('Teams does not interpret mentions, links or templates in names', () => {
    fc.assert(
      fc.property(anyTricks, (text) => {
        // A mention needs `msteams.entities`. The payload schema has neither this property nor a TextBlock.
        for (const part of teamsTexts(withNames(text))) expect(part).not.toMatch(/@\w|\{\{|:\/\/|\p{L}\.\p{L}/u);
      }),
    );
  });

  test('harmless names look unchanged in both formats', () => {
    const text = 'Dr. Müller, Zimmer 1.07: 23:47 (bitte)';
    const visible = (text: string | undefined) => text?.replaceAll('\u200b', '');
    expect(visible(chatTexts(withNames(text))[0])).toBe(text);
    expect(visible(teamsTexts(withNames(text))[0])).toBe(text);
  });
});
