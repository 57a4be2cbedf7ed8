import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asText, partsOf, withoutMarkup, wordsForChat } from '#shared/domain/formats/plain-text.ts';

const visible = (text: string): string => text.replaceAll('\u200b', '');

/** Text that mail programs, phones and Telegram turn into links. */
const links = [
  /[a-z][\w+.-]*:(\/\/|[^\s\u200b])/iu,
  /[\p{L}\p{N}-][.。．｡]\p{L}{2,}/u,
  /\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}/,
  /[\w.+-]+@[\w-]+\.\w/,
  /(?<!\w)@\w{2,}/,
  /(?<!\w)#\w*\p{L}/u,
  /(?<!\w)\$[A-Z]/,
  /(?<![\w/])\/\w/,
];
const names = [
  'https://evil.example',
  'HTTP://EVIL.EXAMPLE/path?a=1',
  'http://1',
  'web+evil:example',
  'evil.:example',
  'evil.example',
  'www.evil.example',
  'evil。example',
  'evil.\u200dexample',
  'münchen.example',
  '10.0.0.1',
  'a@evil.example',
  'mailto:a@evil.example',
  'tel:+49123456',
  'tg://resolve?domain=evil',
  '@evil_bot',
  '#hashtag',
  '#1st',
  '$EUR',
  '/start',
  '[click](https://evil.example)',
  '<a href="https://evil.example">x</a>',
  '<https://evil.example|click>',
];

describe('names as text', () => {
  test.each(names)('a name never becomes a link: %s', (name) => {
    const text = asText(name);
    for (const link of links) expect(text).not.toMatch(link);
    expect(visible(text)).toBe(name);
  });

  test('the test names would become links if left unchanged', () => {
    // An invisible joiner hides the link from this test, but not from Telegram.
    const plain = names.filter((name) => !name.includes('\u200d'));
    for (const name of plain) expect([name, links.some((link) => link.test(name))]).toEqual([name, true]);
  });

  test.each([
    'Room 12',
    'Zimmer 1.07',
    'Bett #3',
    '23:47',
    'Haus Ulme, 2. Stock',
    'Süd/West',
    'Nr. 5',
    '3 $',
    'غرفة 12',
  ])('a name that contains no link stays unchanged: %s', (name) => expect(asText(name)).toBe(name));

  test('a name never becomes a link, regardless of its characters', () => {
    const pieces = fc.constantFrom(...names, 'a', '1', ' ', '.', ':', '@', '#', '/', '-');
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 6 }), (parts) => {
        const text = asText(parts.join(''));
        for (const link of links) expect(text).not.toMatch(link);
      }),
    );
  });
});

describe('rule text in chat', () => {
  test.each([
    ['See https://wiki.example/falls', 'See https://wiki.example/falls'],
    ['https://wiki.example/a_b?c=1&d=~e#f *now*', 'https://wiki.example/a_b?c=1&d=~e#f ∗now∗'],
    ['Plan: http://plan.example:8080/1, then @all', 'Plan: http://plan.example:8080/1, then @\u200ball'],
    ['https://social.example/@home', 'https://social.example/%40home'],
    ['<https://wiki.example|click>', '‹https://wiki.example∣click›'],
  ])('rule text keeps the web addresses in %j', (words, text) => expect(wordsForChat(words)).toBe(text));

  test('a name in rule text never becomes a web address', () => {
    const text = wordsForChat(`${asText('https://evil.example')} see https://wiki.example`);
    expect(text).toBe('https:\u200b//evil.\u200bexample see https://wiki.example');
  });

  test('rule text is escaped like a name, except for web addresses', () => {
    for (const name of names.filter((other) => !/http/i.test(other)))
      expect(wordsForChat(name)).toBe(withoutMarkup(name));
  });
});

test('partsOf splits rule text into web addresses and the text between them', () => {
  expect(partsOf('See https://wiki.example/falls first')).toEqual([
    { text: 'See ' },
    { text: 'https://wiki.example/falls', url: 'https://wiki.example/falls' },
    { text: ' first' },
  ]);
  expect(partsOf('Fall')).toEqual([{ text: 'Fall' }]);
});
