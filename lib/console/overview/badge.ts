import { useEffect } from 'react';
import { signUrl, signWith } from '#functions/api/console/sign.ts';

/** Shows a number at the sign in the tab of the browser, while the page is open; 0 shows the sign alone. */
export const useBadge = (count: number): void => {
  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
    if (!icon) return;
    icon.href = count === 0 ? signUrl : signWith(count);
    return () => {
      icon.href = signUrl;
    };
  }, [count]);
};
