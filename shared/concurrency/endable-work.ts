import { AsyncLocalStorage } from 'node:async_hooks';

const currentWork = new AsyncLocalStorage<{ isOver: boolean; isDoubtful?: boolean }>();

/** Runs work that `endWork` can end. */
export const runEndable = <T>(work: () => T): T => currentWork.run({ isOver: false }, work);

/** Ends the current work, which then calls neither the table nor a queue. */
export const endWork = (): void => {
  const work = currentWork.getStore();
  if (work) work.isOver = true;
};

/** Whether the current work has been ended. The caller already has a response. */
export const isWorkEnded = (): boolean => currentWork.getStore()?.isOver === true;

/** Records that a write in the current work got no response and was retried. */
export const markDoubtful = (): void => {
  const work = currentWork.getStore();
  if (work) work.isDoubtful = true;
};

/** Whether the current work may have written something even though the table reported the opposite. */
export const isDoubtful = (): boolean => currentWork.getStore()?.isDoubtful === true;
