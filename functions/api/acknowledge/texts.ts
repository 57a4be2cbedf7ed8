import { type Language, languageOf } from '#shared/domain/identity/locale.ts';

export type Texts = {
  language: Language;
  name: string;
  acknowledge: string;
  acknowledged: (name: string, since: string) => string;
};

const textsByLanguage: Readonly<Record<Language, Texts>> = {
  en: {
    language: 'en',
    name: 'Your name',
    acknowledge: "I'm on it",
    acknowledged: (name, since) => `${name} has been on it since ${since}.`,
  },
  de: {
    language: 'de',
    name: 'Ihr Name',
    acknowledge: 'Ich gehe hin',
    acknowledged: (name, since) => `${name} geht hin (seit ${since}).`,
  },
};

/** The texts of the page in the language of a locale. */
export const textsOf = (locale: string): Texts => textsByLanguage[languageOf(locale)];
