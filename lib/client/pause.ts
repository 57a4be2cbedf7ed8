/** Waits for the given time (s). Rejects with the abort reason if the signal is aborted first. */
export const pause = (seconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, seconds * 1_000);
    if (signal?.aborted) end();
    signal?.addEventListener('abort', end, { once: true });
  });
export type Pause = typeof pause;
