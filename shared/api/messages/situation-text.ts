import type { Situation } from '#shared/domain/event/event.ts';
import { type Language, languageOf } from '#shared/domain/identity/language.ts';
import { situations } from './situations-en.ts';

type Texts = Record<Situation, string>;
const languages: Record<Language, () => Promise<Texts>> = {
  en: async () => situations,
  de: async () => (await import('./situations-de.ts')).situations,
};

/** Returns a situation's name in a locale's language, or in English for an unknown locale. */
export const situationText = async (locale: string, situation: Situation): Promise<string> =>
  (await languages[languageOf(locale)]())[situation];
