/** Settings of a stage by their names, as the CDK's command line takes them; `stage` is the name of the stage. */
export type Context = Readonly<Record<string, string>>;

/** The option `-c` of every command that synthesises the template of a stage. */
export const contextOption = { type: 'string', short: 'c', multiple: true } as const;

/** Gives what is wrong with the values of `-c`; null when they are right. */
export const contextProblem = (given: readonly string[] = []): string | null => {
  if (!given.every((pair) => pair.indexOf('=') > 0)) return '-c takes name=value';
  return given.some((pair) => pair.startsWith('stage=')) ? '--stage names the stage, not -c' : null;
};

export const contextFrom = (stage: string, given: readonly string[] = []): Context => {
  const pairs = given.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]);
  return { ...Object.fromEntries(pairs), stage };
};

export const contextArgs = (context: Context): string[] =>
  Object.entries(context).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
