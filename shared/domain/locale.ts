import * as z from 'zod';

/** The languages that have a file of messages. A new language needs such a file first. */
export const locales = ['en', 'de'] as const;
export const Locale = z.enum(locales);
export type Locale = z.output<typeof Locale>;
export const DEFAULT_LOCALE: Locale = 'en';

export const isLocale = (value: string): value is Locale => (locales as readonly string[]).includes(value);

/**
 * Gives the best language for an Accept-Language header, by quality; the region is ignored. It is English if nothing
 * matches.
 */
export const bestLocale = (acceptLanguage: string | undefined): Locale => {
  const wishes = (acceptLanguage ?? '')
    .slice(0, 1_024)
    .split(',')
    .flatMap((wish) => {
      const [tag = '', ...parameters] = wish.trim().toLowerCase().split(';');
      const quality = parameters.map((p) => /^\s*q=([\d.]+)\s*$/.exec(p)?.[1]).find((q) => q !== undefined);
      return [{ language: tag.split('-')[0] ?? '', quality: quality === undefined ? 1 : Number(quality) }];
    });
  const best = wishes
    .filter(({ language, quality }) => quality > 0 && (isLocale(language) || language === '*'))
    .sort((a, b) => b.quality - a.quality)[0];
  return best && isLocale(best.language) ? best.language : DEFAULT_LOCALE;
};
