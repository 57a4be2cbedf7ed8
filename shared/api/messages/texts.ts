import { type Language, languageOf } from '#shared/domain/identity/language.ts';
import type { LimitName } from '#shared/domain/identity/quota.ts';
import type { Problem } from '#shared/domain/problem.ts';
import type { ApiError, ErrorCode } from '../errors.ts';

type Texts = {
  errorTexts: Record<ErrorCode, string>;
  problemTexts: Record<Problem, string>;
  limitNames: Record<LimitName, string>;
  resetMail: { subject: string; text: string };
  addressMail: { subject: string; text: string };
  invitationMail: { subject: string; text: string };
};

// Languages are loaded on first use, so cold starts load none. If a language in domain/identity/language.ts has no file
// here, the code does not compile.
const languages: Record<Language, () => Promise<Texts>> = { en: () => import('./en.ts'), de: () => import('./de.ts') };
const texts = (locale: string): Promise<Texts> => languages[languageOf(locale)]();

const fill = (text: string, values: Readonly<Record<string, string | number>> = {}) =>
  text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));

/** The maximum number of rules in a message, because hundreds of rules may use a region. */
const MAX_RULES = 10;
const ruleNames = (rules: NonNullable<ApiError['rules']>): string => {
  const names = rules.slice(0, MAX_RULES).map(({ id, name }) => `"${name}" (${id})`);
  return [...names, ...(rules.length > MAX_RULES ? ['…'] : [])].join(', ');
};

/** Returns localized texts for an error and its field errors. */
export const errorTexts = async (
  locale: string,
  { code, waitSeconds, fieldErrors, limit, rules = [], acknowledgedBy = '' }: ApiError,
) => {
  const { errorTexts, problemTexts, limitNames } = await texts(locale);
  const limitValues = limit && { most: limit.most, what: limitNames[limit.of] };
  return {
    message: fill(errorTexts[code], {
      seconds: waitSeconds ?? 0,
      ...limitValues,
      rules: ruleNames(rules),
      name: acknowledgedBy,
    }),
    fieldErrors: (fieldErrors ?? []).map(({ path, problem, values, at }) => ({
      path,
      ...at,
      message: fill(problemTexts[problem], values),
    })),
  };
};
/** Returns a localized text for each problem. */
export const problemMessages = async (
  locale: string,
  problems: readonly { problem: Problem; values?: Record<string, string | number> | undefined }[],
): Promise<string[]> => {
  const { problemTexts } = await texts(locale);
  return problems.map(({ problem, values }) => fill(problemTexts[problem], values));
};
/** Returns the email with a password reset code. The code is on a separate line. */
export const resetMail = async (locale: string, code: string, minutes: number) => {
  const { subject, text } = (await texts(locale)).resetMail;
  return { subject, text: fill(text, { code, minutes }) };
};
/** Returns the email sent to the previous address after an address change. */
export const addressMail = async (locale: string, username: string) => {
  const { subject, text } = (await texts(locale)).addressMail;
  return { subject, text: fill(text, { username }) };
};
/** Returns the email with the link for an invited user to set a password. */
export const invitationMail = async (
  locale: string,
  values: { username: string; link: string; code: string; days: number },
) => {
  const { subject, text } = (await texts(locale)).invitationMail;
  return { subject, text: fill(text, values) };
};
