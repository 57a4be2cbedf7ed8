import type { Situation } from '../../domain/event.ts';
import { isLocale, type Locale } from '../../domain/locale.ts';
import type { ErrorCode, Fault, Problem } from '../errors.ts';
import * as de from './de.ts';
import * as en from './en.ts';

type Texts = {
  situations: Record<Situation, string>;
  errorTexts: Record<ErrorCode, string>;
  problems: Record<Problem, string>;
  resetMail: { subject: string; text: string };
};

// A language in domain/locale.ts without a file here does not compile.
const languages: Record<Locale, Texts> = { en, de };
const texts = (locale: string): Texts => languages[isLocale(locale) ? locale : 'en'];

const fill = (text: string, values: Readonly<Record<string, string | number>> = {}) =>
  text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));

export const errorText = (locale: string, code: ErrorCode, seconds = 0): string =>
  fill(texts(locale).errorTexts[code], { seconds });
export const problemText = (locale: string, { problem, values }: Fault): string =>
  fill(texts(locale).problems[problem], values);
/** The mail that brings a code to reset a password; the code is on a line of its own. */
export const resetMail = (locale: string, code: string, minutes: number): { subject: string; text: string } => {
  const { subject, text } = texts(locale).resetMail;
  return { subject, text: fill(text, { code, minutes }) };
};
export const situationText = (locale: string, situation: Situation): string => texts(locale).situations[situation];
