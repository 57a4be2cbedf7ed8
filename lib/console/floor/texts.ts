import { floor as de } from '../texts/floor-de.ts';
import { floor as en } from '../texts/floor-en.ts';
import { useLocale } from '../texts/texts.tsx';

/** Floor plan texts, loaded with their page to keep the first load small. */
export const useFloorTexts = () => (useLocale() === 'de' ? de : en);
