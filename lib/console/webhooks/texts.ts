import { useLocale } from '../texts/texts.tsx';
import { webhooks as de } from '../texts/webhooks-de.ts';
import { webhooks as en } from '../texts/webhooks-en.ts';

/** Texts of the pages in this folder. They are loaded with the pages, to keep the first load small. */
export const useWebhookTexts = () => (useLocale() === 'de' ? de : en);
