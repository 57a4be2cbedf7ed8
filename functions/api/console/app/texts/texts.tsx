import { createContext, type ReactNode, use, useEffect, useMemo } from 'react';
import { datesIn } from './dates.ts';
import { de } from './de.ts';
import { en, type Texts } from './en.ts';

const languages: Readonly<Record<string, Texts>> = { en, de };

/** The language that people want, as far as it is there. */
const languageOf = (wanted: string): string => {
  const language = wanted.slice(0, 2).toLowerCase();
  return language in languages ? language : 'en';
};

const contextIn = (wanted: string) => {
  const locale = languageOf(wanted);
  // Dates as the region writes them, where it is a region of that language.
  const region = navigator.languages.find((one) => one.startsWith(locale)) ?? locale;
  return { locale, texts: languages[locale] ?? en, dates: datesIn(region) };
};
const Language = createContext(contextIn('en'));

/** Texts, dates and numbers in the language that is wanted (`de`, `de-AT`), or in English. */
export const LanguageProvider = ({ wanted, children }: { wanted: string; children: ReactNode }) => {
  const language = useMemo(() => contextIn(wanted), [wanted]);
  useEffect(() => {
    document.documentElement.lang = language.locale;
  }, [language]);
  return <Language value={language}>{children}</Language>;
};

export const useTexts = (): Texts => use(Language).texts;
export const useDates = () => use(Language).dates;
export const useLocale = (): string => use(Language).locale;
