import { useLocale } from '../texts/texts.tsx';
import { english } from './english.ts';
import { german } from './german.ts';

export type AuditTexts = typeof english;
/** Texts of pages that are loaded later are loaded with them. */
export const useAuditTexts = (): AuditTexts => (useLocale() === 'de' ? german : english);
