import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/**
 * Reads a command's options from `say.args`, by default the process arguments. `--help` prints the help and exits with
 * 0. An unknown option, or a value rejected by `check`, prints the error with the help and exits with 2.
 */
export const readCommandLine = <const O extends ParseArgsOptionsConfig>(
  options: O,
  help: string,
  say: { out: (text: string) => void; err: (text: string) => void; args?: readonly string[] },
  check: (values: ReturnType<typeof parseArgs<{ options: O }>>['values']) => string | null = () => null,
) => {
  const reject = (problem: string): never => {
    say.err(`${problem}\n\n${help}`);
    process.exit(2);
  };
  const parse = () => {
    try {
      return parseArgs({
        args: [...(say.args ?? process.argv.slice(2))],
        options: { ...options, help: { type: 'boolean' } },
      }).values;
    } catch (error) {
      return reject((error as Error).message);
    }
  };
  const parsed = parse();
  if ('help' in parsed && parsed.help) {
    say.out(help);
    process.exit(0);
  }
  const values = parsed as Parameters<typeof check>[0];
  const problem = check(values);
  return problem === null ? values : reject(problem);
};
