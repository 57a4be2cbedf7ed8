import { alarms as de } from '../texts/alarms-de.ts';
import { alarms as en } from '../texts/alarms-en.ts';
import { useLocale } from '../texts/texts.tsx';

/** Alarm list texts, loaded with their pages to keep the first load small. */
export const useAlarmTexts = () => (useLocale() === 'de' ? de : en);
