import { notifications } from '@mantine/notifications';
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { Problem } from '#lib/client/problem.ts';
import { useTexts } from '../texts/texts.tsx';

type Write<V, R> = {
  send: (values: V) => Promise<R>;
  /** The text of the notification after success. */
  done?: string;
  /** Does the form show all that can go wrong at its fields? Then no notification does. */
  isQuiet?: true;
  /** The keys of queries to refetch after success: all queries whose key begins with one of them. */
  refresh?: readonly QueryKey[];
  onDone?: (result: R) => void;
};

/** What is watched depends on sensors, rules, webhooks, channels and duty: nearly every change may change it. */
const ALWAYS: QueryKey = ['watch'];

/**
 * A mutation that shows a notification about its result, and refetches what it changed. An error about fields is
 * shown in the notification; a form can show it at its fields, too (`faultOf`).
 */
export const useWrite = <V = void, R = unknown>({ send, done, refresh = [], onDone, isQuiet }: Write<V, R>) => {
  const client = useQueryClient();
  const texts = useTexts();
  const closeButtonProps = { 'aria-label': texts.close };
  return useMutation({
    mutationFn: send,
    onSuccess: async (result) => {
      await Promise.all([...refresh, ALWAYS].map((queryKey) => client.invalidateQueries({ queryKey })));
      if (done !== undefined) notifications.show({ message: done, color: 'green', closeButtonProps });
      onDone?.(result);
    },
    onError: (error) => {
      if (isQuiet && error instanceof Problem) return;
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
