import { useEffect } from 'react';

/** Keeps the screen on while the page is visible, if the browser supports it. */
export const useWakeLock = (): void => {
  useEffect(() => {
    let isOpen = true;
    let lock: WakeLockSentinel | undefined;
    const request = async () => {
      if (document.visibilityState !== 'visible' || !('wakeLock' in navigator)) return;
      // The browser refuses when the battery is low, for example.
      lock = await navigator.wakeLock.request('screen').catch(() => undefined);
      if (!isOpen) await lock?.release();
    };
    // The browser releases the lock when the page is hidden.
    const update = () => void request();
    update();
    document.addEventListener('visibilitychange', update);
    return () => {
      isOpen = false;
      document.removeEventListener('visibilitychange', update);
      void lock?.release();
    };
  }, []);
};
