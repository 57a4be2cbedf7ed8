/** A stage's settings by name, as passed to the CDK. `stage` is the stage's name. */
export type Context = Readonly<Record<string, string>>;

/** The `-c` option for commands that synthesize a stage's template. */
export const contextOption = { type: 'string', short: 'c', multiple: true } as const;

/** Returns what is wrong with the `-c` values, or null. */
export const contextProblem = (pairs: readonly string[] = []): string | null => {
  if (!pairs.every((pair) => pair.indexOf('=') > 0)) return '-c must be name=value';
  return pairs.some((pair) => pair.startsWith('stage=')) ? 'set the stage with --stage, not with -c' : null;
};

export const contextFrom = (stage: string, given: readonly string[] = []): Context => {
  const pairs = given.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]);
  return { ...Object.fromEntries(pairs), stage };
};

export const contextArguments = (context: Context): string[] =>
  Object.entries(context).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
