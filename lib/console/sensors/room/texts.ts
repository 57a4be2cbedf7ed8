import { room as de } from '#lib/console/texts/room-de.ts';
import { room as en } from '#lib/console/texts/room-en.ts';
import { useLocale } from '#lib/console/texts/texts.tsx';

/** Room texts, loaded with the sensor page to keep the first load small. */
export const useRoomTexts = () => (useLocale() === 'de' ? de : en);
