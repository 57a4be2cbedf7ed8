import { useLocale } from '../texts/texts.tsx';
import { english } from './english.ts';
import { german } from './german.ts';

export type AuditTexts = typeof english;
/** Audit log texts, loaded with their page to keep the first load small. */
export const useAuditTexts = (): AuditTexts => (useLocale() === 'de' ? german : english);
