import { otp as de } from '../texts/otp-de.ts';
import { otp as en } from '../texts/otp-en.ts';
import { useLocale } from '../texts/texts.tsx';

/** The texts about logins. They are loaded with the pages that have them, which few users open. */
export const useOtpTexts = () => (useLocale() === 'de' ? de : en);
