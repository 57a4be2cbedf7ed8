const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '');

/** Gives `otherwise` when a call fails by an error that `isMeant`, such as one that says that nothing is there. */
export const orElse = async <T, O>(
  asked: Promise<T>,
  isMeant: (error: unknown) => boolean,
  otherwise: O,
): Promise<T | O> => {
  try {
    return await asked;
  } catch (error) {
    if (isMeant(error)) return otherwise;
    throw error;
  }
};

/** Is it one of these errors of AWS? */
export const isNamed =
  (...names: readonly string[]) =>
  (error: unknown): boolean =>
    names.includes(nameOf(error));
