/** Returns the values of form fields by name. */
export const fieldValues = <const N extends string>(
  form: HTMLFormElement,
  ...names: readonly N[]
): Record<N, string> => {
  const data = new FormData(form);
  return Object.fromEntries(names.map((name) => [name, String(data.get(name) ?? '')])) as Record<N, string>;
};
