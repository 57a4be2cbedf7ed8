import { channels as de } from '../texts/channels-de.ts';
import { channels as en } from '../texts/channels-en.ts';
import { useLocale } from '../texts/texts.tsx';

/** The texts about channels. They are loaded with the pages that have them: all that is loaded first has to be small. */
export const useChannelTexts = () => (useLocale() === 'de' ? de : en);
