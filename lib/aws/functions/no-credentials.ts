/** Replaces the SDK's credential provider chain in bundles. Throws, because functions pass credentials explicitly. */
export const defaultProvider = () => async (): Promise<never> => {
  throw new Error('no credentials were passed');
};
