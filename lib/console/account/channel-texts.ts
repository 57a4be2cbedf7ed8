import { channels as de } from '../texts/channels-de.ts';
import { channels as en } from '../texts/channels-en.ts';
import { useLocale } from '../texts/texts.tsx';

/** Channel texts, loaded with their page to keep the first load small. */
export const useChannelTexts = () => (useLocale() === 'de' ? de : en);
