import { otp as de } from '../texts/otp-de.ts';
import { otp as en } from '../texts/otp-en.ts';
import { useLocale } from '../texts/texts.tsx';

/** Second factor and session texts, loaded with their pages because few users open them. */
export const useOtpTexts = () => (useLocale() === 'de' ? de : en);
