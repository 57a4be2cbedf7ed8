import { describe, expect, test } from 'vitest';
import { decoders, withTrustedTimes } from '#shared/domain/makers/decoders.ts';
import { deviceMessages, documentedMessages } from '#shared/domain/makers/device-messages.ts';
import { messagesOfMakerA } from '#shared/domain/makers/maker-a/messages.ts';
import { messagesOfMakerB } from '#shared/domain/makers/maker-b/messages.ts';
import { warningsOf } from '#shared/ingest/messages.ts';

type Example = Record<string, unknown>;
const { calls } = deviceMessages();
const kindsOf = (maker: 'makerA' | 'makerB') =>
  documentedMessages(maker).map(({ id, example }) => [id, example] as const);

describe.each([
  ['maker_a', kindsOf('makerA'), Object.keys(messagesOfMakerA).length],
  ['maker_b', kindsOf('makerB'), Object.keys(messagesOfMakerB).length],
] as const)('documented %s messages', (maker, kinds, count) => {
  test('the documentation has an example of every message kind', () => {
    expect(kinds).toHaveLength(count);
    expect(new Set(kinds.map(([id]) => id)).size).toBe(count);
  });

  test.each(kinds)('the documented %s example is valid and decodes without a warning', (_, example) => {
    expect(calls.safeParse(example).success).toBe(true);
    expect(calls.safeParse([example, example]).success).toBe(true);
    const decoded = withTrustedTimes(decoders[maker](example), 1_760_000_000_000);
    expect(decoded.signal.kind).not.toBe('unknown');
    expect(warningsOf([{ raw: '', decoded }])).toEqual([]);
  });

  test.each(kinds)('the decoder reports the path of an invalid field in %s', (id, example) => {
    const fields = maker === 'maker_a' ? (example.payload as Example) : example;
    // A message without the required fields is unknown.
    const optional = Object.entries(fields).filter(([name]) => !['cmd', 'type', 'data', 'status'].includes(name));
    for (const [name] of optional) {
      const broken = { ...fields, [name]: { not: 'this' } };
      const decoded = decoders[maker](maker === 'maker_a' ? { ...example, payload: broken } : broken);
      const path = maker === 'maker_a' ? `payload.${name}` : name;
      expect([id, decoded.wrong]).toEqual([id, decoded.signal.kind === 'unknown' ? [] : [path]]);
    }
  });
});

test('the documentation describes every field of every message kind', () => {
  const undescribed: string[] = [];
  const visit = (path: string, schema: Record<string, unknown>): void => {
    const { properties, items, description } = schema as {
      properties?: Record<string, Record<string, unknown>>;
      items?: Record<string, unknown>;
      description?: string;
    };
    if (items) visit(`${path}[]`, items);
    for (const [name, field] of Object.entries(properties ?? {})) visit(`${path}.${name}`, field);
    if (!properties && !items && !description && !('const' in schema) && !path.endsWith('.cmd')) undescribed.push(path);
  };
  for (const { id, schema } of [...documentedMessages('makerA'), ...documentedMessages('makerB')]) visit(id, schema);
  expect(undescribed).toEqual([]);
});
