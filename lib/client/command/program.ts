import { Problem } from '../problem.ts';
import { type Command, type CommandIo, commonHelp, UsageError } from './command.ts';
import { erase } from './erase.ts';
import { exportCommand } from './export.ts';
import { listen } from './listen.ts';
import { deliveries, rules, sensors } from './lists.ts';
import { login } from './login.ts';
import { replay } from './replay.ts';
import { send } from './send.ts';

const commands: Readonly<Record<string, Command>> = {
  login,
  sensors,
  rules,
  deliveries,
  replay,
  send,
  listen,
  export: exportCommand,
  erase,
};

const help = `sensor-cloud COMMAND
${Object.entries(commands)
  .map(([name, { about }]) => `  ${name.padEnd(28)} ${about}`)
  .join('\n')}
Every command has --help and these options:
${commonHelp}
The environment variables SENSOR_CLOUD_URL and SENSOR_CLOUD_TOKEN override the profile.
Exit codes: 0 for success, 1 for a failure, 2 for invalid usage.`;

/** Describes an error for the user, without secrets. */
const sentenceOf = (error: unknown, name: string): string => {
  if (error instanceof Problem) {
    const advice = error.status === 401 && name !== 'login' ? ' Log in again with `sensor-cloud login`.' : '';
    const faults = error.faults.map(({ path, message }) => `\n  ${path}: ${message}`);
    return `${error.message} (${error.status}).${advice}${faults.join('')}`;
  }
  const { message = String(error), cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
};

/** Runs a command. Returns the exit code: 0, 1 for a failure, 2 for invalid usage. */
export const program = async ([name = '--help', ...args]: readonly string[], io: CommandIo): Promise<number> => {
  if (name === '--help') {
    io.out(help);
    return 0;
  }
  const selected = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!selected) {
    io.err(`Unknown command: ${name}\n\n${help}`);
    return 2;
  }
  try {
    const run = selected.read(args);
    if (run === null) io.out(selected.help);
    else await run(io);
    return 0;
  } catch (error) {
    const isUsage = error instanceof UsageError;
    io.err(isUsage ? `${error.message}\n\n${selected.help}` : sentenceOf(error, name));
    return isUsage ? 2 : 1;
  }
};
