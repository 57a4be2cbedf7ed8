import { useLocale } from '../texts/texts.tsx';
import { webhooks as de } from '../texts/webhooks-de.ts';
import { webhooks as en } from '../texts/webhooks-en.ts';

/** Texts for the pages in this folder, loaded with them to keep the first load small. */
export const useWebhookTexts = () => (useLocale() === 'de' ? de : en);
