import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packMessages, type Told, unpackMessages } from '../../../shared/domain/packed-messages.ts';

const id = fc.integer({ min: 1, max: 2 ** 53 - 1 });
const told = fc
  .array(fc.record({ id, bot: fc.integer({ min: 1, max: 9 }) }), { minLength: 1, maxLength: 20 })
  .map((all): Told[] =>
    all.map(({ id, bot }) => ({ id, accountId: bot, extra: { display_name: `Ruf "${bot}" ü\n`, is_bot: true } })),
  );

test('what was packed is what comes back', () => {
  fc.assert(
    fc.property(told, (messages) => {
      expect(unpackMessages(packMessages(messages))).toEqual(messages);
    }),
  );
});

test('20 messages of one bot take less than 400 bytes', () => {
  const extra = { display_name: 'Schwesternruf Wohnbereich Lindenhof', is_bot: true };
  const messages = Array.from({ length: 20 }, (_, at) => ({ id: 2 ** 52 + 199 * at, accountId: 1_234_567, extra }));
  expect(Buffer.byteLength(packMessages(messages))).toBeLessThan(400);
});
