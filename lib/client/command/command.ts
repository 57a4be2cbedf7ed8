import { type ParseArgsConfig, type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import type { Pause } from '../pause.ts';
import type { Send } from '../retrying-fetch.ts';

/** The environment a command runs in. */
export type CommandIo = {
  out: (line: string) => void;
  err: (line: string) => void;
  env: Readonly<Record<string, string | undefined>>;
  /** Asks a question on the terminal; a hidden answer is not echoed. */
  ask: (question: string, isHidden?: 'hidden') => Promise<string>;
  /** Whether a person, rather than a pipe, answers questions. */
  isTerminal: boolean;
  home: string;
  hostname: string;
  now: () => number;
  pause: Pause;
  /** Aborted by Ctrl-C or SIGTERM. */
  signal: AbortSignal;
  fetch?: Send;
};

/** Invalid usage, printed with the command's help. */
export class UsageError extends Error {}

/** An option that takes a value, and an option that does not. */
export const text = { type: 'string' } as const;
export const flag = { type: 'boolean', default: false } as const;

/** The options common to all commands. */
const common = {
  profile: { type: 'string', default: 'default' },
  url: text,
  json: flag,
  help: flag,
} as const;
export const commonHelp = `  --profile NAME               profile with the URL and token to use; default: "default"
  --url URL                    service URL; default: SENSOR_CLOUD_URL, or from the profile
  --json                       print JSON`;

type Parsed<O extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: O & typeof common; allowPositionals: true }>
>;
export type OptionValues<O extends ParseArgsOptionsConfig> = Parsed<O>['values'];
export type CommonValues = OptionValues<Record<never, never>>;

export type Command = {
  about: string;
  help: string;
  /** Parses the arguments. Returns the function to run, or null for --help. Throws a UsageError. */
  read: (args: readonly string[]) => ((io: CommandIo) => Promise<void>) | null;
};

const parsed = <O extends ParseArgsOptionsConfig>(options: O, args: readonly string[]): Parsed<O> => {
  try {
    const config = { args: [...args], options: { ...options, ...common }, allowPositionals: true };
    return parseArgs(config satisfies ParseArgsConfig) as Parsed<O>;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
};

/**
 * Declares a command. `words` are the allowed values for the positional argument, with the default first. `check`
 * returns what is wrong with the options, or null.
 */
export const command = <const O extends ParseArgsOptionsConfig>(declared: {
  about: string;
  help: string;
  options: O;
  words?: readonly string[];
  check?: (values: OptionValues<O>) => string | null;
  run: (values: OptionValues<O>, io: CommandIo, word: string) => Promise<void>;
}): Command => ({
  about: declared.about,
  help: `${declared.help}\n${commonHelp}\nExit codes: 0 for success, 1 for a failure, 2 for invalid options.`,
  read: (args) => {
    const { options, words = [''], check = () => null, run } = declared;
    const { values, positionals } = parsed(options, args);
    if (Object(values).help === true) return null;
    const [word = words[0] ?? '', ...more] = positionals;
    if (!words.includes(word) || more.length > 0) throw new UsageError(`unexpected argument: ${positionals.join(' ')}`);
    const problem = check(values);
    if (problem !== null) throw new UsageError(problem);
    return (io) => run(values, io, word);
  },
});
