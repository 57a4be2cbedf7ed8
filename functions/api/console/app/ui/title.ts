import { useEffect } from 'react';
import { useTexts } from '../texts/texts.tsx';

/** Names the tab of the browser after what it shows. */
export const useTitle = (...parts: readonly string[]): void => {
  const { console: name } = useTexts();
  const title = [...parts, name].join(' · ');
  useEffect(() => {
    document.title = title;
  }, [title]);
};
