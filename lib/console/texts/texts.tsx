import { createContext, type ReactNode, use, useEffect, useMemo } from 'react';
import { datesIn } from './dates.ts';
import { de } from './de.ts';
import { en, type Texts } from './en.ts';

const languages: Readonly<Record<string, Texts>> = { en, de };

/** Gives the first of the wanted languages that the console has. */
const languageOf = (wanted: readonly string[]): string =>
  wanted.map((tag) => tag.slice(0, 2).toLowerCase()).find((language) => Object.hasOwn(languages, language)) ?? 'en';

/**
 * The languages to choose from, by what is kept of each. One that is kept as something else, such as `de-AT`, stays so unless
 * another one is chosen.
 */
export const languagesWith = (labels: Readonly<Record<string, string>>, kept: string): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).map(([code, label]) => [languageOf([kept]) === code ? kept : code, label]));

/**
 * Can dates and numbers be formatted in this locale? The language of a browser may be invalid, such as `en-US@posix`.
 */
const isLocale = (locale: string): boolean => {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(locale).length > 0;
  } catch {
    return false;
  }
};

const contextIn = (wanted: readonly string[]) => {
  const locale = languageOf(wanted);
  // Dates have the format of the user's region: that of the account, else one of the same language of the browser.
  const all = [...wanted, ...navigator.languages].filter((tag) => tag.startsWith(locale) && isLocale(tag));
  const region = all.find((tag) => tag.includes('-')) ?? locale;
  return { locale, texts: languages[locale] ?? en, dates: datesIn(region) };
};
const Language = createContext(contextIn(['en']));

/**
 * Provides texts, dates and numbers in the language of the user; without one, in the first language of the browser
 * that the console has, else in English.
 */
export const LanguageProvider = ({ user, children }: { user: string | undefined; children: ReactNode }) => {
  const language = useMemo(() => contextIn(user === undefined ? navigator.languages : [user]), [user]);
  useEffect(() => {
    document.documentElement.lang = language.locale;
  }, [language]);
  return <Language value={language}>{children}</Language>;
};

export const useTexts = (): Texts => use(Language).texts;
export const useDates = () => use(Language).dates;
export const useLocale = (): string => use(Language).locale;
