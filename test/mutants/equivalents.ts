/**
 * A mutant that no test can notice, because the program behaves the same: the trimmed line of source, what it becomes in the
 * words of Stryker, and why that makes no difference.
 */
export type Equivalent = { file: string; line: string; mutant: string; why: string };

export const equivalents: readonly Equivalent[] = [];
