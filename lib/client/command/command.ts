import { type ParseArgsConfig, type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import type { Pause } from '../pause.ts';
import type { Send } from '../retrying-fetch.ts';

/** What a command has of its surroundings. */
export type Io = {
  out: (line: string) => void;
  err: (line: string) => void;
  env: Readonly<Record<string, string | undefined>>;
  /** Asks on the terminal, without an echo where it is hidden. */
  ask: (question: string, isHidden?: 'hidden') => Promise<string>;
  /** Does a person answer? A pipe may do so without anybody there. */
  isTerminal: boolean;
  home: string;
  hostname: string;
  now: () => number;
  pause: Pause;
  /** Is aborted by Ctrl-C or SIGTERM. */
  signal: AbortSignal;
  fetch?: Send;
};

/** The command was used in a wrong way. Its help says how it is used. */
export class UsageError extends Error {}

/** An option with a text, and one that is given or not. */
export const text = { type: 'string' } as const;
export const flag = { type: 'boolean', default: false } as const;

/** Options that every command has. */
const common = {
  profile: { type: 'string', default: 'default' },
  url: text,
  json: flag,
  help: flag,
} as const;
export const commonHelp = `  --profile NAME               whose address and token are used, one for each stage: default
  --url URL                    the service, instead of that of the profile; or SENSOR_CLOUD_URL
  --json                       prints JSON`;

type Parsed<O extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: O & typeof common; allowPositionals: true }>
>;
export type Values<O extends ParseArgsOptionsConfig> = Parsed<O>['values'];
export type CommonValues = Values<Record<never, never>>;

export type Command = {
  about: string;
  help: string;
  /** Gives what is to be run, or null where only the help is wanted. Throws a UsageError. */
  read: (args: readonly string[]) => ((io: Io) => Promise<void>) | null;
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
 * Declares a command. `words` are the values that the word after its name may have, the first of them without one;
 * `check` gives what is wrong with the options.
 */
export const command = <const O extends ParseArgsOptionsConfig>(declared: {
  about: string;
  help: string;
  options: O;
  words?: readonly string[];
  check?: (values: Values<O>) => string | null;
  run: (values: Values<O>, io: Io, word: string) => Promise<void>;
}): Command => ({
  about: declared.about,
  help: `${declared.help}\n${commonHelp}\nExit code: 0; 1 when it fails; 2 for wrong options.`,
  read: (args) => {
    const { options, words = [''], check = () => null, run } = declared;
    const { values, positionals } = parsed(options, args);
    if (Object(values).help === true) return null;
    const [word = words[0] ?? '', ...more] = positionals;
    if (!words.includes(word) || more.length > 0) throw new UsageError(`unexpected: ${positionals.join(' ')}`);
    const wrong = check(values);
    if (wrong !== null) throw new UsageError(wrong);
    return (io) => run(values, io, word);
  },
});
