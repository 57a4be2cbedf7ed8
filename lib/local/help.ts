import { defaultDescription } from '#shared/settings/hosts.ts';
import { variableNames, variables } from './variables.ts';

const plain = (text: string): string => text.replaceAll('`', '');

/** Returns the help text for `npm start`: what it does, and every variable it reads. */
export const helpText = (): string => {
  const widest = Math.max(...variableNames.map((name) => name.length));
  const lines = variableNames.map((name) => {
    const setting = variables[name];
    return plain(`  ${name.padEnd(widest)}  ${setting.about.help} Default: ${defaultDescription(setting, 'local')}.`);
  });
  return [
    'npm start                    Runs the whole cloud in one process, and prints `ready URL` once it accepts requests.',
    'SIGTERM or Ctrl-C shuts it down cleanly. It reads these environment variables, all of them optional:',
    ...lines,
    'Exit codes: 0 after a clean shutdown, 1 if it cannot start (it prints the reason), 2 for invalid options.',
  ].join('\n');
};
