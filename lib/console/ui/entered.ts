/** Gives the values of the fields of a form by their names. */
export const entered = <const N extends string>(form: HTMLFormElement, ...names: readonly N[]): Record<N, string> => {
  const data = new FormData(form);
  return Object.fromEntries(names.map((name) => [name, String(data.get(name) ?? '')])) as Record<N, string>;
};
