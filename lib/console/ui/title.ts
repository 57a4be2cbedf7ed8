import { useEffect } from 'react';
import { useTexts } from '../texts/texts.tsx';

/** Sets the title of the browser tab. */
export const useTitle = (...parts: readonly string[]): void => {
  const { console: name } = useTexts();
  const title = [...parts, name].join(' · ');
  useEffect(() => {
    document.title = title;
  }, [title]);
};
