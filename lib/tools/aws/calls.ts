const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '');

/** Returns a call's result, or `fallback` if the call fails with an expected error. */
export const withFallback = async <T, O>(
  call: Promise<T>,
  isExpected: (error: unknown) => boolean,
  fallback: O,
): Promise<T | O> => {
  try {
    return await call;
  } catch (error) {
    if (isExpected(error)) return fallback;
    throw error;
  }
};

/** Returns a predicate for errors with one of these names. */
export const hasName =
  (...names: readonly string[]) =>
  (error: unknown): boolean =>
    names.includes(nameOf(error));
