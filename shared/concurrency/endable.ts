import { AsyncLocalStorage } from 'node:async_hooks';

const works = new AsyncLocalStorage<{ isOver: boolean; isDoubtful?: boolean }>();

/** Runs work that `endWork` can end. */
export const endable = <T>(work: () => T): T => works.run({ isOver: false }, work);

/** Ends the work amid which it is called: from then on it calls neither the table nor a queue. */
export const endWork = (): void => {
  const work = works.getStore();
  if (work) work.isOver = true;
};

/** Was the work ended amid which this is asked? Whoever waited for it has got an answer. */
export const isOver = (): boolean => works.getStore()?.isOver === true;

/** Notes amid work that a write of it had no answer, and was tried again. */
export const noteDoubt = (): void => {
  const work = works.getStore();
  if (work) work.isDoubtful = true;
};

/** May the work amid which this is asked have written something although the table said that it did not? */
export const isDoubtful = (): boolean => works.getStore()?.isDoubtful === true;
