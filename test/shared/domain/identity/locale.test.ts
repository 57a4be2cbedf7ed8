import { describe, expect, test } from 'vitest';
import { languageOf } from '#shared/domain/identity/language.ts';
import { Locale } from '#shared/domain/identity/locale.ts';

describe('locales', () => {
  test.each([
    'en',
    'de',
    'de-AT',
    'DE-at',
    'fr',
    'pt-BR',
    'zh-Hant-TW',
    'sl-rozaj-biske',
    'de-1996',
    'es-419',
    'gsw-u-sd-chzh',
    'x-home',
    'i-klingon',
    'en-gb-OED',
    'sgn-BE-FR',
  ])('Locale accepts the well-formed language tag %s unchanged', (tag) => expect(Locale.parse(tag)).toBe(tag));
  test.each([
    '',
    'e',
    'de_AT',
    'de-',
    '-de',
    'de--AT',
    'deutschland',
    'de-AT-',
    'en-US@posix',
    'de-\u0430t',
    `de${'-abcdefgh'.repeat(8)}`,
    'x',
    'i-nothing',
    'i-klingon-x',
    'de-a',
  ])('Locale rejects %j', (tag) => expect(Locale.safeParse(tag).success).toBe(false));
  test.each([
    ['de-AT', 'de'],
    ['DE', 'de'],
    ['en-GB', 'en'],
    ['fr', 'en'],
    ['x-de', 'en'],
    ['i-default', 'en'],
    ['en-GB-oed', 'en'],
    ['', 'en'],
  ])('languageOf maps %s to the supported language %s', (locale, language) =>
    expect(languageOf(locale)).toBe(language),
  );
});
