import { createInterface } from 'node:readline/promises';
import { UserError } from './user-error.ts';

/** Asks a question in this terminal and returns whether the answer is yes. Throws a UserError without a terminal. */
export const confirm = async (question: string): Promise<boolean> => {
  if (!process.stdin.isTTY) throw new UserError('There is no terminal to ask for confirmation: add --yes.');
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} (y/n) `)).trim());
  } finally {
    terminal.close();
  }
};
