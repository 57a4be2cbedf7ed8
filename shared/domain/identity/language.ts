/** Languages with a file in shared/api/messages. To add a language, add its file first. */
export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];
const DEFAULT: Language = 'en';

const isLanguage = (value: string): value is Language => (languages as readonly string[]).includes(value);

export const DEFAULT_LOCALE: string = DEFAULT;

/** Returns the supported language for a locale, or English. */
export const languageOf = (locale: string): Language => {
  const [language = ''] = locale.toLowerCase().split('-');
  return isLanguage(language) ? language : DEFAULT;
};

/** Returns the supported language preferred by an Accept-Language header, or English. Regions are ignored. */
export const bestLocale = (acceptLanguage: string | undefined): Language => {
  const ranges = (acceptLanguage ?? '')
    .slice(0, 1_024)
    .split(',')
    .flatMap((range) => {
      const [tag = '', ...parameters] = range.trim().toLowerCase().split(';');
      const quality = parameters.map((p) => /^\s*q=([\d.]+)\s*$/.exec(p)?.[1]).find((q) => q !== undefined);
      return [{ language: tag.split('-')[0] ?? '', quality: quality === undefined ? 1 : Number(quality) }];
    });
  const best = ranges
    .filter(({ language, quality }) => quality > 0 && (isLanguage(language) || language === '*'))
    .sort((a, b) => b.quality - a.quality)[0];
  return best && isLanguage(best.language) ? best.language : DEFAULT;
};
