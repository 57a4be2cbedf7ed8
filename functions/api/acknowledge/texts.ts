import { type Language, languageOf } from '#shared/domain/identity/locale.ts';

export type Texts = { language: Language; name: string; go: string; goes: (name: string, since: string) => string };

const all: Readonly<Record<Language, Texts>> = {
  en: {
    language: 'en',
    name: 'Your name',
    go: "I'll go",
    goes: (name, since) => `${name} takes care of it since ${since}.`,
  },
  de: {
    language: 'de',
    name: 'Ihr Name',
    go: 'Ich gehe hin',
    goes: (name, since) => `${name} kümmert sich darum seit ${since}.`,
  },
};

/** The texts of the page in the language of a locale. */
export const textsOf = (locale: string): Texts => all[languageOf(locale)];
