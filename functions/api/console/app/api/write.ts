import { notifications } from '@mantine/notifications';
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { useTexts } from '../texts/texts.tsx';
import { Problem } from './problem.ts';

type Write<V, R> = {
  send: (values: V) => Promise<R>;
  /** What to say when it is done. */
  done?: string;
  /** What is out of date then: every query whose key begins so. */
  refresh?: readonly QueryKey[];
  onDone?: (result: R) => void;
};

/**
 * A call that changes something: it says what happened, and brings what it changed up to date. A complaint about
 * fields is left to the form (`faultOf`), unless no form shows it: then `error` is said like any other.
 */
export const useWrite = <V = void, R = unknown>({ send, done, refresh = [], onDone }: Write<V, R>) => {
  const client = useQueryClient();
  const texts = useTexts();
  const closeButtonProps = { 'aria-label': texts.close };
  return useMutation({
    mutationFn: send,
    onSuccess: async (result) => {
      await Promise.all(refresh.map((queryKey) => client.invalidateQueries({ queryKey })));
      if (done !== undefined) notifications.show({ message: done, color: 'green', closeButtonProps });
      onDone?.(result);
    },
    onError: (error) => {
      const message = error instanceof Problem ? error.message : texts.noAnswer;
      const faults = error instanceof Problem ? error.faults.map((fault) => `${fault.path}: ${fault.message}`) : [];
      notifications.show({
        title: texts.failed,
        message: faults.join('\n') || message,
        color: 'red',
        closeButtonProps,
      });
    },
  });
};
