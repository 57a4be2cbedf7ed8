import type { Situation } from '#shared/domain/event/event.ts';
import { type Language, languageOf } from '#shared/domain/identity/language.ts';
import { situations } from './situations-en.ts';

type Texts = Record<Situation, string>;
const languages: Record<Language, () => Promise<Texts>> = {
  en: async () => situations,
  de: async () => (await import('./situations-de.ts')).situations,
};

/** Returns the localized name of a situation, in English if the locale is unknown. */
export const situationText = async (locale: string, situation: Situation): Promise<string> =>
  (await languages[languageOf(locale)]())[situation];
