import { useLocale } from '../texts/texts.tsx';
import { english } from './english.ts';
import { german } from './german.ts';

export type AuditTexts = typeof english;
/** The texts of the audit page. They are loaded with it. */
export const useAuditTexts = (): AuditTexts => (useLocale() === 'de' ? german : english);
