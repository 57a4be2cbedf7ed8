import { admin as de } from '../texts/admin-de.ts';
import { admin as en } from '../texts/admin-en.ts';
import { useLocale } from '../texts/texts.tsx';

/** Texts for the pages in this folder, loaded with them to keep the first load small. */
export const useAdminTexts = () => (useLocale() === 'de' ? de : en);
