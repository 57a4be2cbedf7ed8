import { notifications } from '@mantine/notifications';
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { Problem } from '#lib/client/problem.ts';
import { useTexts } from '../texts/texts.tsx';

type Write<V, R> = {
  send: (values: V) => Promise<R>;
  /** The notification text after success. */
  done?: string;
  /** Whether the form shows errors itself, so no notification is needed. */
  isQuiet?: true;
  /** Key prefixes for the queries to refetch after success. */
  refresh?: readonly QueryKey[];
  onDone?: (result: R) => void;
};

/** Refetched after every write: what is watched depends on sensors, rules, webhooks, channels and duty. */
const WATCH: QueryKey = ['station'];

/**
 * Returns a mutation that notifies the user of the result and refetches what changed. The notification includes field
 * errors; a form can also show them next to the fields (`faultOf`).
 */
export const useWrite = <V = void, R = unknown>({ send, done, refresh = [], onDone, isQuiet }: Write<V, R>) => {
  const client = useQueryClient();
  const texts = useTexts();
  const closeButtonProps = { 'aria-label': texts.close };
  return useMutation({
    mutationFn: send,
    onSuccess: async (result) => {
      await Promise.all([...refresh, WATCH].map((queryKey) => client.invalidateQueries({ queryKey })));
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
