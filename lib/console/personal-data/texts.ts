import { useLocale } from '../texts/texts.tsx';
import { english } from './english.ts';
import { german } from './german.ts';
import { itemsEnglish } from './items-english.ts';
import { itemsGerman } from './items-german.ts';

/** Personal data texts, loaded with their page. */
export const usePersonalDataTexts = (): typeof english => (useLocale() === 'de' ? german : english);

/** Returns the names of the item kinds a job counts. */
export const useItemTexts = () => (useLocale() === 'de' ? itemsGerman : itemsEnglish);
