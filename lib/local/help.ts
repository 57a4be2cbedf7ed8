import { defaultText } from '#shared/settings/hosts.ts';
import { variableNames, variables } from './variables.ts';

const plain = (text: string): string => text.replaceAll('`', '');

/** The help of `npm start`: what it does, and every variable that it reads. */
export const helpText = (): string => {
  const widest = Math.max(...variableNames.map((name) => name.length));
  const lines = variableNames.map((name) => {
    const setting = variables[name];
    return plain(`  ${name.padEnd(widest)}  ${setting.about.help} Default: ${defaultText(setting, 'local')}.`);
  });
  return [
    'npm start                    Runs the whole cloud in one process, and prints `ready URL` once it accepts calls.',
    'SIGTERM or Ctrl-C shuts it down cleanly. All of these environment variables are optional:',
    ...lines,
    'Exit code: 0; 1 when it cannot start, with the reason; 2 for wrong options.',
  ].join('\n');
};
