import { createContext, use, useEffect } from 'react';
import { useTexts } from '../texts/texts.tsx';

/** The text to put before every page title, such as the number of open alarms. */
export const TitlePrefix = createContext('');

/** Sets the browser tab title. */
export const useTitle = (...parts: readonly string[]): void => {
  const { console: name } = useTexts();
  const title = use(TitlePrefix) + [...parts, name].join(' · ');
  useEffect(() => {
    document.title = title;
  }, [title]);
};
