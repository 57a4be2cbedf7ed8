import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/**
 * Reads the options of a command, from `say.args` when they are not those of the process. `--help` prints the help and exits
 * with 0; an unknown option, or a value that `check` rejects, prints the error with the help and exits with 2.
 */
export const readCommandLine = <const O extends ParseArgsOptionsConfig>(
  options: O,
  help: string,
  say: { out: (text: string) => void; err: (text: string) => void; args?: readonly string[] },
  check: (values: ReturnType<typeof parseArgs<{ options: O }>>['values']) => string | null = () => null,
) => {
  const refuse = (why: string): never => {
    say.err(`${why}\n\n${help}`);
    process.exit(2);
  };
  const read = () => {
    try {
      return parseArgs({
        args: [...(say.args ?? process.argv.slice(2))],
        options: { ...options, help: { type: 'boolean' } },
      }).values;
    } catch (error) {
      return refuse((error as Error).message);
    }
  };
  const values = read();
  if ('help' in values && values.help) {
    say.out(help);
    process.exit(0);
  }
  const given = values as Parameters<typeof check>[0];
  const problem = check(given);
  return problem === null ? given : refuse(problem);
};
