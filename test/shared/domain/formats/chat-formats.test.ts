import { describe, expect, test } from 'vitest';
import type { Snapshot } from '#shared/domain/delivery/delivery.ts';
import { ChatPayload } from '#shared/domain/formats/chat-payload.ts';
import { render } from '#shared/domain/formats/render.ts';
import { TeamsPayload } from '#shared/domain/formats/teams-payload.ts';
import { kinds } from '#shared/domain/kinds.ts';
import {
  payloadContext as context,
  ruleForPeople as rule,
  snapshotForPeople as snapshot,
} from '#test/fixtures/snapshot.ts';

const acknowledgeUrl = 'https://cloud.example/acknowledge/3/abc?x=1&y=2';
const chatOf = (of: Snapshot, more: object = {}) =>
  ChatPayload.parse(JSON.parse(render('chat', of, { ...context, ...more })));
const cardOf = (of: Snapshot, more: object = {}) =>
  TeamsPayload.parse(JSON.parse(render('teams', of, { ...context, ...more }))).attachments[0].content;
/** All text in a card, line by line. */
const linesOf = (of: Snapshot, more: object = {}) =>
  cardOf(of, more).body[0].items.map(({ inlines }) => inlines.map(({ text }) => text).join(''));

// Every attempt at a delivery must send the same bytes, even if a new version is deployed between attempts.
describe('chat and teams bytes', () => {
  const chat =
    '{"text":"Sturz: Zimmer 1","attachments":[{"fallback":"Sturz: Zimmer 1","color":"#c92a2a",' +
    '"text":"Bitte nachsehen","fields":[{"title":"Situation","value":"Sturz erkannt","short":true},' +
    '{"title":"Sensor","value":"Zimmer 1","short":true},{"title":"Ort","value":"Maple, EG","short":true},' +
    '{"title":"Zeit","value":"2026-11-21 00:47 Europe/Berlin","short":true}]}';
  const link = `,{"fallback":"Ich gehe hin","color":"#c92a2a","title":"Ich gehe hin","title_link":"${acknowledgeUrl}"}`;
  const line = (label: string, value: string) =>
    `,{"type":"RichTextBlock","inlines":[{"type":"TextRun","text":"${label}: ","isSubtle":true},` +
    `{"type":"TextRun","text":"${value}"}]}`;
  const card =
    '{"type":"message","attachments":[{"contentType":"application/vnd.microsoft.card.adaptive","contentUrl":null,' +
    '"content":{"$schema":"http://adaptivecards.io/schemas/adaptive-card.json","type":"AdaptiveCard","version":"1.2",' +
    '"body":[{"type":"Container","style":"attention","bleed":true,"items":[{"type":"RichTextBlock","inlines":' +
    '[{"type":"TextRun","text":"Sturz: Zimmer 1","size":"large","weight":"bolder"}]},' +
    '{"type":"RichTextBlock","inlines":[{"type":"TextRun","text":"Bitte nachsehen"}]}' +
    line('Situation', 'Sturz erkannt') +
    line('Sensor', 'Zimmer 1') +
    line('Ort', 'Maple, EG') +
    line('Zeit', '2026-11-21 00:47 Europe/Berlin') +
    ']}]';
  const button = `,"actions":[{"type":"Action.OpenUrl","title":"Ich gehe hin","url":"${acknowledgeUrl}"}]`;

  test('chat and Teams messages have no link or button if there is no alarm to acknowledge', () => {
    expect(render('chat', snapshot, context)).toBe(`${chat}]}`);
    expect(render('teams', snapshot, context)).toBe(`${card}}}]}`);
  });

  test('chat and Teams messages have a link or button to acknowledge the alarm', () => {
    const acknowledgeable = { ...context, acknowledgeUrl };
    expect(render('chat', snapshot, acknowledgeable)).toBe(`${chat}${link}]}`);
    expect(render('teams', snapshot, acknowledgeable)).toBe(`${card}${button}}}]}`);
  });
});

describe.each(['chat', 'teams'] as const)('%s format', (format) => {
  const textsOf = (of: Snapshot, more: object = {}): string[] => {
    if (format === 'teams') return linesOf(of, more);
    const { text, attachments } = chatOf(of, more);
    return [
      text,
      ...attachments.flatMap((attachment) =>
        'fields' in attachment
          ? [attachment.text, ...attachment.fields.map(({ title, value }) => `${title}: ${value}`)]
          : [attachment.title],
      ),
    ];
  };

  test('falls back to English labels and UTC if a delivery has no reader', () => {
    const { reader: _, ...rest } = snapshot;
    expect(textsOf(rest)).toEqual([
      'Sturz: Zimmer 1',
      'Bitte nachsehen',
      'Situation: Sturz erkannt',
      'Sensor: Zimmer 1',
      'Place: Maple, EG',
      'Time: 2026-11-21 03:07 UTC',
    ]);
  });

  test('omits a missing location or position', () => {
    const body = render(format, { ...snapshot, customer: null }, context);
    expect(body).not.toMatch(/Ort|0\.25|coordinates/);
    expect(textsOf({ ...snapshot, customer: { id: 3, name: 'Maple', location: '' } })).toContain('Ort: Maple');
  });

  test('marks a test as a test', () => {
    const event = { ...snapshot.event, type: 'test', action: 'ping', text: 'Test', coordinates: null, source: null };
    const ping = { ...snapshot, event, rule: null };
    const facts = ['Ort: Maple, EG', 'Zeit: 2026-11-21 00:47 Europe/Berlin'];
    expect(textsOf(ping, { isTest: true })).toEqual(['Test', 'Das ist ein Test. Es ist nichts geschehen.', ...facts]);
    expect(textsOf(snapshot, { isTest: true })[1]).toBe('Das ist ein Test. Es ist nichts geschehen. Bitte nachsehen');
    const { reader: _, ...english } = ping;
    expect(textsOf(english, { isTest: true })[1]).toBe('This is a test. Nothing has happened.');
  });

  test('colors falls and vital signs red, warnings amber, and ended alarms green', () => {
    const colorOf = (situation: keyof typeof kinds) => {
      const of = { ...snapshot, event: { ...snapshot.event, ...kinds[situation] } };
      return format === 'chat' ? chatOf(of).attachments[0]?.color : cardOf(of).body[0].style;
    };
    const expected = {
      chat: ['#c92a2a', '#c92a2a', '#e67700', '#e67700', '#2b8a3e', '#2b8a3e', '#1864ab'],
      teams: ['attention', 'attention', 'warning', 'warning', 'good', 'good', 'accent'],
    };
    const urgent = ['fall_confirmed', 'apnea', 'fall_suspected_sensitive', 'sensor_inactive'] as const;
    const others = ['fall_finished', 'sensor_active', 'bed_left'] as const;
    expect([...urgent, ...others].map(colorOf)).toEqual(expected[format]);
  });

  // Teams accepts 28 KB: https://learn.microsoft.com/connectors/teams/#known-issues-and-limitations. Slack cuts text at
  // 40,000 characters. Mattermost accepts 16,383 and Rocket.Chat 5,000 in `text`, unless the operator changes the
  // limit.
  test.each(['😀', '&', '@', 'a.', '\u{10ffff}', '"', '{', 'é'])(
    "chat messages stay within every chat service's limits when full of %j",
    (part) => {
      const full = (length: number) => [...part.repeat(length)].slice(0, length).join('');
      const longest: Snapshot = {
        ...snapshot,
        sensor: { ...snapshot.sensor, name: full(128) },
        customer: { id: 3, name: full(128), location: full(256) },
        rule: { ...rule, title: full(512), message: full(2_048) },
      };
      expect(Buffer.byteLength(render(format, longest, { ...context, acknowledgeUrl }))).toBeLessThan(21_000);
      expect(textsOf(longest).filter((text) => text.length > 4_200)).toEqual([]);
      expect((textsOf(longest)[0] ?? '').length).toBeLessThanOrEqual(1_024);
    },
  );
});
