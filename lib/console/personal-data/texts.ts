import { useLocale } from '../texts/texts.tsx';
import { english } from './english.ts';
import { german } from './german.ts';
import { itemsEnglish } from './items-english.ts';
import { itemsGerman } from './items-german.ts';

/** The texts of the page of personal data. They are loaded with it. */
export const usePersonalDataTexts = (): typeof english => (useLocale() === 'de' ? german : english);

/** The names of the kinds of items that a job counts. */
export const useItemTexts = () => (useLocale() === 'de' ? itemsGerman : itemsEnglish);
