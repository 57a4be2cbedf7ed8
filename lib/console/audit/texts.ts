import { useLocale } from '../texts/texts.tsx';
import { english } from './english.ts';
import { german } from './german.ts';

export type AuditTexts = typeof english;
/** Audit texts, loaded with their page. */
export const useAuditTexts = (): AuditTexts => (useLocale() === 'de' ? german : english);
