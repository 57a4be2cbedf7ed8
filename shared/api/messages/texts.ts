import { type Language, languageOf } from '#shared/domain/identity/locale.ts';
import type { LimitName } from '#shared/domain/identity/quota.ts';
import type { Problem } from '#shared/domain/problem.ts';
import type { ApiError, ErrorCode } from '../errors.ts';

type Texts = {
  errorTexts: Record<ErrorCode, string>;
  problems: Record<Problem, string>;
  limited: Record<LimitName, string>;
  resetMail: { subject: string; text: string };
};

// A language is loaded with the first error that is told in it, so that cold starts load none. A locale of
// domain/identity/locale.ts without a file here does not compile.
const languages: Record<Language, () => Promise<Texts>> = { en: () => import('./en.ts'), de: () => import('./de.ts') };
const texts = (locale: string): Promise<Texts> => languages[languageOf(locale)]();

const fill = (text: string, values: Readonly<Record<string, string | number>> = {}) =>
  text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));

/** So many rules are named; a region may be named by hundreds. */
const RULES_NAMED = 10;
const listed = (rules: NonNullable<ApiError['rules']>): string => {
  const names = rules.slice(0, RULES_NAMED).map(({ id, name }) => `"${name}" (${id})`);
  return [...names, ...(rules.length > RULES_NAMED ? ['…'] : [])].join(', ');
};

/** Gives the texts of an error and of its field errors in a language. */
export const errorTexts = async (
  locale: string,
  { code, waitSeconds, fieldErrors, limit, rules = [], acknowledgedBy = '' }: ApiError,
) => {
  const { errorTexts, problems, limited } = await texts(locale);
  const reached = limit && { most: limit.most, what: limited[limit.of] };
  return {
    message: fill(errorTexts[code], {
      seconds: waitSeconds ?? 0,
      ...reached,
      rules: listed(rules),
      name: acknowledgedBy,
    }),
    fieldErrors: (fieldErrors ?? []).map(({ path, problem, values }) => ({
      path,
      message: fill(problems[problem], values),
    })),
  };
};
/** Gives the mail with a code to reset a password. The code is on a line of its own. */
export const resetMail = async (locale: string, code: string, minutes: number) => {
  const { subject, text } = (await texts(locale)).resetMail;
  return { subject, text: fill(text, { code, minutes }) };
};
