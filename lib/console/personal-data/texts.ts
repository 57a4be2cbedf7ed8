import { useLocale } from '../texts/texts.tsx';
import { english } from './english.ts';
import { german } from './german.ts';
import { itemsEnglish } from './items-english.ts';
import { itemsGerman } from './items-german.ts';

/** Texts of pages that are loaded later are loaded with them. */
export const usePersonalDataTexts = (): typeof english => (useLocale() === 'de' ? german : english);

/** The words for the kinds of items that the counts of a job name. */
export const useItemTexts = () => (useLocale() === 'de' ? itemsGerman : itemsEnglish);
