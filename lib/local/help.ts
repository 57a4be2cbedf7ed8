import { variableNames, variables } from './variables.ts';

const plain = (text: string): string => text.replaceAll('`', '');

/** The help of `npm start`: what it does, and every variable that it reads. */
export const helpText = (): string => {
  const widest = Math.max(...variableNames.map((name) => name.length));
  const lines = variableNames.map((name) => {
    const { about, without } = variables[name];
    return `  ${name.padEnd(widest)}  ${plain(about)}. Default: ${plain(without)}`;
  });
  return [
    'npm start                    Runs the whole cloud in this process, and prints `ready URL` when it accepts calls.',
    'SIGTERM or Ctrl-C stops it in order. It is configured by environment variables, each of which may be missing:',
    ...lines,
    'Exit code: 0; 1 when it cannot start, after it has said why; 2 for wrong options.',
  ].join('\n');
};
