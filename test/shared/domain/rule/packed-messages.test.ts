import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type PackedMessage, packMessages, unpackMessages } from '#shared/domain/rule/packed-messages.ts';
import { By } from '#shared/domain/rule/recipient.ts';

const id = fc.integer({ min: 1, max: 2 ** 53 - 1 });
const packable = fc
  .array(
    fc.record({ id, account: fc.integer({ min: 1, max: 9 }), publisher: fc.constantFrom('webhook', ...By.options) }),
    {
      minLength: 1,
      maxLength: 20,
    },
  )
  .map((messages): PackedMessage[] =>
    messages.map(({ id, account: accountId, publisher }) => ({
      id,
      accountId,
      publisher,
      extra: { display_name: `Ruf "${accountId}" ü\n`, is_bot: publisher === 'webhook' },
    })),
  );

test('packing and unpacking preserves messages', () => {
  fc.assert(
    fc.property(packable, (messages) => {
      expect(unpackMessages(packMessages(messages))).toEqual(messages);
    }),
  );
});

test('packMessages packs 20 messages from one bot into less than 400 bytes', () => {
  const extra = { display_name: 'Schwesternruf Wohnbereich Lindenhof', is_bot: true };
  const messages = Array.from({ length: 20 }, (_, at) => ({
    id: 2 ** 52 + 199 * at,
    accountId: 1_234_567,
    publisher: 'webhook' as const,
    extra,
  }));
  expect(Buffer.byteLength(packMessages(messages))).toBeLessThan(400);
});

test('packMessages does not store a channel for webhooks', () => {
  const extra = { display_name: 'Ruf', is_bot: true };
  const messages: PackedMessage[] = [1, 2, 3].map((id) => ({ id, accountId: 7, publisher: 'webhook', extra }));
  expect(packMessages(messages)).toBe('[1,[[7,"Ruf"]],[[0,0],[0,1],[0,2]]]');
});
