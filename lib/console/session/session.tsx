import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use } from 'react';
import { ok } from '#lib/client/problem.ts';
import type { User } from '#openapi';
import { api } from '../api/client.ts';
import { forget, meQuery } from '../api/queries.ts';
import { useWrite } from '../api/write.ts';
import { may, type Needs } from './may.ts';

const Me = createContext<User | null>(null);

/** The user who is logged in; undefined while it is loading, null when nobody is. */
export const useSession = () => useQuery(meQuery);

export const MeProvider = ({ me, children }: { me: User; children: ReactNode }) => <Me value={me}>{children}</Me>;

/** The user, on pages for users who are logged in. */
export const useMe = (): User => {
  const me = use(Me);
  if (!me) throw new Error('nobody is logged in');
  return me;
};

/** Gives a function that tells whether an action is to be offered to the user. */
export const useMay = () => {
  const me = useMe();
  return (needs?: Needs): boolean => may(me, needs);
};

type Credentials = { username: string; password: string; otp?: string };

/** Logs in, and clears the data that another user saw before. Where a code is needed too, `onOtp` is called. */
export const useLogin = (onOtp: () => void) => {
  const client = useQueryClient();
  return useWrite({
    send: async (body: Credentials) => {
      const answer = await api.POST('/users/login', { body });
      const needsOtp = answer.error !== undefined && 'otpRequired' in answer.error;
      return needsOtp ? null : ok(Promise.resolve(answer));
    },
    onDone: (user) => {
      if (!user) return onOtp();
      forget(client);
      client.setQueryData(meQuery.queryKey, user);
    },
  });
};

export const useLogout = () => {
  const client = useQueryClient();
  return useWrite({
    send: () => ok(api.POST('/users/logout')),
    onDone: ({ url }) => {
      forget(client);
      client.setQueryData(meQuery.queryKey, null);
      if (url !== undefined) location.assign(url);
    },
  });
};
