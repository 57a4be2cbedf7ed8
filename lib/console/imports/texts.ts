import { imports as de } from '../texts/imports-de.ts';
import { imports as en } from '../texts/imports-en.ts';
import { useLocale } from '../texts/texts.tsx';

/** Import texts, loaded with their page to keep the first load small. */
export const useImportTexts = () => (useLocale() === 'de' ? de : en);
