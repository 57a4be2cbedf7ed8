import { useMemo } from 'react';
import { reports as de } from '../texts/reports-de.ts';
import { reports as en } from '../texts/reports-en.ts';
import { useLocale } from '../texts/texts.tsx';

/** Report texts, loaded with their page to keep the first load small. */
export const useReportTexts = () => (useLocale() === 'de' ? de : en);

/** Formatters for months (`YYYY-MM`): `November 2026` and `Nov`. */
export const useMonths = () => {
  const locale = useLocale();
  return useMemo(() => {
    const long = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' });
    const short = new Intl.DateTimeFormat(locale, { month: 'short', timeZone: 'UTC' });
    const timeOf = (month: string) => Date.parse(`${month}-01`);
    return {
      long: (month: string) => long.format(timeOf(month)),
      short: (month: string) => short.format(timeOf(month)),
    };
  }, [locale]);
};
