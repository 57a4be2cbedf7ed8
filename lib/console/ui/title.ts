import { createContext, use, useEffect } from 'react';
import { useTexts } from '../texts/texts.tsx';

/** What stands before the title of every page, such as the number of open alarms. */
export const TitlePrefix = createContext('');

/** Sets the title of the browser tab. */
export const useTitle = (...parts: readonly string[]): void => {
  const { console: name } = useTexts();
  const title = use(TitlePrefix) + [...parts, name].join(' · ');
  useEffect(() => {
    document.title = title;
  }, [title]);
};
