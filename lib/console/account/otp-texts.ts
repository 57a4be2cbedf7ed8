import { otp as de } from '../texts/otp-de.ts';
import { otp as en } from '../texts/otp-en.ts';
import { useLocale } from '../texts/texts.tsx';

/** Texts about the second factor and sessions. They are loaded with their pages, which few users open. */
export const useOtpTexts = () => (useLocale() === 'de' ? de : en);
