import { createContext, type ReactNode, use, useEffect, useMemo } from 'react';
import { datesIn } from './dates.ts';
import { de } from './de.ts';
import { en, type Texts } from './en.ts';

const languages: Readonly<Record<string, Texts>> = { en, de };

/** Returns the first preferred language supported by the console. */
const languageOf = (preferred: readonly string[]): string =>
  preferred.map((tag) => tag.slice(0, 2).toLowerCase()).find((language) => Object.hasOwn(languages, language)) ?? 'en';

/** Returns the languages to choose from. A stored locale such as `de-AT` remains the value for its language. */
export const languageOptions = (labels: Readonly<Record<string, string>>, stored: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(labels).map(([code, label]) => [languageOf([stored]) === code ? stored : code, label]),
  );

/** Whether the locale is valid. A browser may have an invalid language, such as `en-US@posix`. */
const isLocale = (locale: string): boolean => {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(locale).length > 0;
  } catch {
    return false;
  }
};

const contextFor = (preferred: readonly string[]) => {
  const locale = languageOf(preferred);
  // Dates follow the account's region, or else the browser's first region in the same language.
  const candidates = [...preferred, ...navigator.languages].filter((tag) => tag.startsWith(locale) && isLocale(tag));
  const region = candidates.find((tag) => tag.includes('-')) ?? locale;
  return { locale, region, texts: languages[locale] ?? en, dates: datesIn(region) };
};
const Language = createContext(contextFor(['en']));

/** Provides texts, dates and numbers in the user's language, or else the browser's, or else English. */
export const LanguageProvider = ({ user, children }: { user: string | undefined; children: ReactNode }) => {
  const language = useMemo(() => contextFor(user === undefined ? navigator.languages : [user]), [user]);
  useEffect(() => {
    document.documentElement.lang = language.locale;
  }, [language]);
  return <Language value={language}>{children}</Language>;
};

export const useTexts = (): Texts => use(Language).texts;
export const useDates = () => use(Language).dates;
export const useLocale = (): string => use(Language).locale;
/** Returns the date locale, such as `en-GB`. */
export const useRegion = (): string => use(Language).region;
